import AsyncNet
import Foundation

/// What the events of a hop report, with all secrets; `HAREntry.init(_:_:)` redacts the secrets.
struct HARExchange: Sendable {
    let requestID: RequestID
    let attempt: Int
    let hop: Int
    let date: Date
    /// The start of the hop, by the session's clock.
    let start: Duration
    let head: HTTPRequestHead
    /// The head as it was sent, if the transport has reported it in one piece.
    private(set) var sentHead: SentHead?
    private var isHeadInPieces = false
    /// How long the hop waited for permits before it began; `blocked` is how long it waited while it ran.
    var blockedBefore: Duration?
    var blocked: Duration?
    var requestBody = BodyRecord()
    var sentBytes: Int64?
    var bodySentAt: Duration?
    var respondedAt: Duration?
    var responseBody = BodyRecord()
    /// `nil` until the hop has ended, as are the properties below.
    private(set) var connection: ConnectionInfo?
    private(set) var response: HTTPResponseHead?
    private(set) var receivedBytes: Int64?
    private(set) var metrics = TransportMetrics()
    private(set) var end: Duration?
    private(set) var error: AsyncNetError?

    init(_ event: SessionEvent, _ head: HTTPRequestHead) {
        (requestID, attempt, hop) = (event.requestID, event.attempt, event.hop)
        (date, start, self.head) = (event.date, event.instant, head)
    }

    /// The bytes that the record keeps in memory, approximately.
    var cost: Int {
        let headers = [head.headers, sentHead?.headers, response?.headers].compactMap(\.self)
        let heads = headers.reduce(0) { $0 + $1.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } }
        let certificates = connection?.certificates.reduce(0) { $0 + $1.utf8.count } ?? 0
        let line = sentHead?.requestLine.utf8.count ?? 0
        return 3584 + head.urlText.utf8.count + line + heads + certificates + requestBody.count + responseBody.count
    }

    mutating func sent(_ head: SentHead) {
        let isConnect = head.requestLine.hasPrefix("CONNECT ") && self.head.method.rawValue != "CONNECT"
        guard !isConnect else { return }
        // A long head may be reported in pieces, which may begin in the middle of a header.
        isHeadInPieces = isHeadInPieces || !head.requestLine.hasPrefix("\(self.head.method.rawValue) ")
        sentHead = isHeadInPieces ? nil : head
    }

    mutating func end(_ summary: HopSummary, at instant: Duration) {
        end = instant
        respondedAt = respondedAt ?? instant
        connection = summary.connection
        response = summary.response
        metrics = summary.metrics.transport
        if response != nil { receivedBytes = summary.receivedBytes }
        if summary.sentBytes > 0 { sentBytes = summary.sentBytes }
        error = summary.error
        if case .cancelled = summary.ending {
            error = AsyncNetError(.cancelled, "The transfer was cancelled, or its response was no longer needed")
        }
    }
}

/// The first bytes of a body, in the pieces in which they were reported.
struct BodyRecord: Sendable {
    private var pieces: [Data] = []
    private(set) var count = 0

    /// Adds bytes to the record until it has `limit` bytes in all; drops the others.
    mutating func append(_ data: Data, limit: Int) {
        let piece = data.prefix(max(0, limit - count))
        guard !piece.isEmpty else { return }
        count += piece.count
        // A prefix shares the memory of the whole data, so a piece that the limit has cut is copied.
        pieces.append(count == limit ? Data(Array(piece)) : piece)
    }

    var data: Data { pieces.count == 1 ? pieces[0] : pieces.reduce(into: Data(capacity: count)) { $0 += $1 } }
}
