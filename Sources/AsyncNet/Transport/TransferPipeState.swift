import Foundation

/// The decisions of a `TransferPipe`: when the reader continues, when the transport pauses, and how the transfer
/// ended. Without I/O, locks and continuations: each function returns what the pipe does once it has released its
/// lock.
struct TransferPipeState {
    static let highWaterMark = 256 * 1024

    enum ChunkAction {
        case store
        case pause
        case abort(AsyncNetError)
    }

    private(set) var delivery: TransportRequest.Delivery
    private(set) var head: HTTPResponseHead?
    private(set) var end: Result<Void, AsyncNetError>?
    private(set) var isPaused = false

    /// Whether the reader decodes the body: the reader then counts the decoded bytes, and reads each chunk as it
    /// arrives.
    private var isEncoded = false
    private var chunks: [Data] = []
    private var bufferedBytes = 0
    private var receivedBytes: Int64 = 0
    private let limit: Int64

    /// - Parameter limit: The largest body in bytes. A body with a content coding is measured where it is decoded.
    init(_ delivery: TransportRequest.Delivery, limit: Int64 = .max) {
        self.delivery = delivery
        self.limit = limit
    }

    mutating func expectEncodedBody() { isEncoded = true }

    /// - Parameter isUrgent: Whether the reader gets the head and each chunk at once, even with `.whole`.
    mutating func receive(_ head: HTTPResponseHead, isUrgent: Bool) {
        guard end == nil else { return }
        self.head = head
        if isUrgent { delivery = .asItArrives }
    }

    /// Stores a chunk. Pauses the transport above the high-water mark if the reader already had bytes to read.
    mutating func receive(_ chunk: Data) -> ChunkAction {
        guard end == nil else { return .store }
        guard count(chunk) else { return .abort(AsyncNetError(bodyLargerThan: limit)) }
        let isReaderBehind = hasBytesToRead
        chunks.append(chunk)
        bufferedBytes += chunk.count
        isPaused = isReaderBehind && isFull
        return isPaused ? .pause : .store
    }

    private mutating func count(_ chunk: Data) -> Bool {
        receivedBytes += Int64(chunk.count)
        return isEncoded || receivedBytes <= limit
    }

    mutating func finish(_ head: HTTPResponseHead?, _ chunk: Data?, _ result: Result<Void, AsyncNetError>) {
        guard end == nil else { return }
        self.head = head ?? self.head
        end = result
        guard let chunk else { return }
        guard count(chunk) else { return end = .failure(AsyncNetError(bodyLargerThan: limit)) }
        chunks.append(chunk)
    }

    private var isFull: Bool { bufferedBytes > Self.highWaterMark }

    var hasHeadToRead: Bool { end != nil || (delivery == .asItArrives || isEncoded ? head != nil : isFull) }

    var hasBytesToRead: Bool {
        end != nil || (delivery == .asItArrives || isEncoded ? !chunks.isEmpty : isFull)
    }

    /// The response's head; the transfer's error if the transfer ended before the head or was cancelled; `.emptyReply`
    /// if the transfer succeeded without a head.
    var receivedHead: Result<HTTPResponseHead, AsyncNetError> {
        if case .failure(let error) = end, head == nil || error.code == .cancelled { return .failure(error) }
        return head.map { .success($0) } ?? .failure(AsyncNetError(.emptyReply))
    }

    /// The body, if the transfer has succeeded and the reader has to take at most one chunk; otherwise `nil`.
    mutating func takeWhole() -> Data? {
        guard case .success = end, chunks.count <= 1 else { return nil }
        return chunks.popLast() ?? Data()
    }

    /// All chunks, `nil` at the end of the body, and whether this read lets a paused transport continue.
    mutating func read() -> (chunks: Result<[Data]?, AsyncNetError>, resumesTransport: Bool) {
        defer {
            chunks = []
            bufferedBytes = 0
            isPaused = false
        }
        guard chunks.isEmpty, let end else { return (.success(chunks), isPaused) }
        return (end.map { nil }, isPaused)
    }

    /// - Returns: `false` if the transfer had ended before.
    mutating func abort(_ error: AsyncNetError) -> Bool {
        guard end == nil else { return false }
        end = .failure(error)
        chunks = []
        return true
    }
}
