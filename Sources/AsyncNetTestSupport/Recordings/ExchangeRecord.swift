import AsyncNet
import Foundation

/// What has been recorded of one transfer so far.
struct ExchangeRecord: Sendable {
    private let head: HTTPRequestHead
    private let bodyLimit: Int
    /// Whether the caller reads nothing before the body is complete: its pieces are joined then.
    private let joinsChunks: Bool
    var sentBody: SentBody
    var trailers: HTTPHeaders = [:]
    private var informational: [RecordedExchange.Informational] = []
    private var response: HTTPResponseHead?
    /// The time from the send to the head, or to the failure before the head.
    private var latency: Duration?
    private var chunks: [RecordedExchange.Chunk] = []
    private var chunkAt = Duration.zero
    private var receivedCount: Int64 = 0
    private var hasEnded = false
    private var failure: RecordedExchange.Failure?

    init(_ request: TransportRequest, bodyLimit: Int) {
        (head, self.bodyLimit) = (request.head, bodyLimit)
        joinsChunks = request.delivery == .whole
        sentBody = SentBody(request.body, limit: bodyLimit)
    }

    // MARK: Steps

    mutating func receiveInterim(_ head: HTTPResponseHead) {
        informational.append(.init(head.statusCode, headers: head.headers))
    }

    /// Notes when the head has arrived, which the caller may get later.
    mutating func noteHead(at instant: Duration) { latency = latency ?? instant }

    mutating func respond(_ head: HTTPResponseHead, at instant: Duration) {
        response = head
        noteHead(at: instant)
        chunkAt = latency ?? instant
    }

    mutating func receive(_ chunk: Data, at instant: Duration) {
        let kept = chunk.prefix(max(0, bodyLimit - Int(clamping: receivedCount)))
        receivedCount += Int64(chunk.count)
        guard !kept.isEmpty else { return }
        let delay = max(.zero, instant - chunkAt)
        chunkAt = instant
        if joinsChunks, let last = chunks.indices.last {
            chunks[last].data += kept
            chunks[last].delay += delay
        } else {
            // A piece that was cut must not keep the rest in memory.
            chunks.append(.init(kept.count == chunk.count ? chunk : Data(Array(kept)), delay: delay))
        }
    }

    mutating func end() { hasEnded = true }

    mutating func fail(_ error: any Error, at instant: Duration) {
        guard !hasEnded, failure == nil else { return }
        let error = AsyncNetError(wrapping: error, as: .transportFailed)
        failure = RecordedExchange.Failure(error.code, error.message)
        if response == nil { latency = instant }
    }

    // MARK: The exchange

    var exchange: RecordedExchange? {
        guard let outcome else { return nil }
        var request = RecordedExchange.Request(method: head.method, url: head.url, headers: head.headers)
        (request.body, request.isBodyTruncated) = sentBody.recorded
        request.headers = HTTPHeaders(request.headers.filter { !$0.isOmission })
        return RecordedExchange(request, outcome, latency: latency ?? .zero)
    }

    private var outcome: RecordedExchange.Outcome? {
        guard let head = response else { return failure.map { .failure($0) } }
        var response = RecordedExchange.Response(head.statusCode, headers: headers(of: head), chunks: chunks)
        (response.reason, response.httpVersion) = (head.reasonPhrase, head.httpVersion)
        (response.trailers, response.informational) = (trailers, informational)
        response.isBodyTruncated = receivedCount > Int64(bodyLimit)
        response.failure = bodyFailure(head)
        return .response(response)
    }

    private func bodyFailure(_ head: HTTPResponseHead) -> RecordedExchange.Failure? {
        let isComplete = hasEnded || failure == nil && isWhole(head)
        guard !isComplete else { return nil }
        if let failure, failure.code != .cancelled { return failure }
        return RecordedExchange.Failure(.cancelled, Self.notRead)
    }

    static let notRead = "The body was not read to its end when it was recorded"

    /// Whether there is no body, or as many bytes were read as `Content-Length` says, even if the end was not.
    private func isWhole(_ head: HTTPResponseHead) -> Bool {
        if head.isBodyless(answering: self.head.method) { return true }
        return head.describesBody && head.contentLength == receivedCount
    }

    /// The headers that are true of the body, which may have been decoded.
    private func headers(of head: HTTPResponseHead) -> HTTPHeaders {
        var headers = head.separateHeaders
        guard !head.describesBody, !head.isBodyless(answering: self.head.method) else {
            return headers
        }
        headers.remove("Content-Encoding")
        headers.remove("Content-Length")
        return headers
    }
}
