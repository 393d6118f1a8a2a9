import Foundation

/// At the end of each turn passes what has arrived of one response to the transfer's pipe, so that the pipe's reader
/// continues once for all that arrived together. Used only under its loop's lock.
final class ResponseDelivery {
    private let transfer: SocketTransfer
    private(set) var head: HTTPResponseHead?
    private var isHeadDelivered = false
    /// Whether the reader gets the body in one piece, once it is complete.
    private var isWhole = false
    private var hasNews = false
    /// How many bytes of the body have arrived, if the response is a proxy's challenge that is answered; else `nil`.
    private var droppedBytes: Int?
    private static let mostDropped = 64 * 1024
    private var memory: BodyMemory?
    private var chunk: Data?
    private(set) var receivedBytes: Int64 = 0
    private(set) var firstByte: ContinuousClock.Instant?

    private var result: Result<Void, AsyncNetError> = .success(())

    private let kept: KeptMemory

    init(_ transfer: SocketTransfer, _ kept: KeptMemory) { (self.transfer, self.kept) = (transfer, kept) }

    func noteFirstByte(at now: ContinuousClock.Instant) { if firstByte == nil { firstByte = now } }

    /// Drops the response. Its body is read, up to a limit, so that the connection can be kept.
    func drop() { droppedBytes = 0 }

    var isDropped: Bool { droppedBytes != nil }

    func begin(_ head: HTTPResponseHead, length: Int64?) throws(AsyncNetError) {
        self.head = head
        hasNews = true
        let isEncoded = head.headers.contains(name: "Content-Encoding")
        if isEncoded { transfer.pipe.expectEncodedBody() }
        isWhole = transfer.request.delivery == .whole && !isEncoded
        if head.statusCode >= 300 || transfer.request.isUrgent?(head) == true { isWhole = false }
        guard isWhole, let length else { return }
        if let limit = transfer.request.maximumBodySize, length > limit { throw AsyncNetError(bodyLargerThan: limit) }
        guard length <= Int64(Int.max) else { return }
        memory = BodyMemory(length: Int(length), kept)
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws(AsyncNetError) {
        guard droppedBytes == nil else { return try drop(bytes) }
        receivedBytes += Int64(bytes.count)
        hasNews = true
        if let isTaken = memory?.append(bytes) {
            guard isTaken else { throw Self.outOfMemory }
        } else if chunk == nil {
            chunk = Data(bytes)
        } else {
            chunk?.append(contentsOf: bytes)
        }
    }

    private func drop(_ bytes: UnsafeRawBufferPointer) throws(AsyncNetError) {
        droppedBytes = (droppedBytes ?? 0) + bytes.count
        guard droppedBytes ?? 0 <= Self.mostDropped else {
            throw AsyncNetError(.badServerResponse, "The proxy's 407 response is too large to read to its end")
        }
    }

    /// The place for the next bytes of a body of known length; `nil` for other bodies.
    func room() throws(AsyncNetError) -> UnsafeMutableRawBufferPointer? {
        guard memory != nil else { return nil }
        guard let room = memory?.room() else { throw Self.outOfMemory }
        return room
    }

    func didReceive(_ count: Int) {
        memory?.didFill(count)
        receivedBytes += Int64(count)
        hasNews = true
    }

    private static var outOfMemory: AsyncNetError {
        AsyncNetError(.transportFailed, "There is no memory for the response's body")
    }

    /// Passes on what arrived in this turn; returns whether the reader wants more.
    func flush() -> TransferPipe.Demand {
        guard hasNews, let head else { return .more }
        hasNews = false
        if isWhole, !isHeadDelivered { transfer.request.onEvent?(.receivedHead(head)) }
        if !isHeadDelivered {
            isHeadDelivered = true
            transfer.pipe.receive(head)
        }
        if receivedBytes > 0, isWhole { transfer.request.onEvent?(.receivedBody(bytes: receivedBytes, head)) }
        guard let chunk else { return .more }
        self.chunk = nil
        return transfer.pipe.receive(chunk)
    }

    /// How many bytes of a body are collected before they are passed on within a turn.
    static let largestChunk = 64 * 1024
    var isChunkFull: Bool { chunk.map { $0.count >= Self.largestChunk } ?? false }

    /// Passes the end on after the turns. A closure with the result would be another allocation.
    func finish(_ result: Result<Void, AsyncNetError>, on thread: LoopThread) {
        self.result = result
        thread.afterTurns { self.finish() }
    }

    private func finish() {
        let last = memory?.take() ?? chunk
        memory = nil
        chunk = nil
        let isEmpty = last?.isEmpty ?? true
        transfer.pipe.finish(isHeadDelivered ? nil : head, isEmpty ? nil : last, result)
    }
}
