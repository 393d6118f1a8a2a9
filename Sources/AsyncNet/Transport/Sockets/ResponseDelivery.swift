import Foundation

/// Receives one response from the bytes of a connection, and passes it to the transfer's pipe: what arrived in a turn at the
/// end of the turn, so that a response that arrives at once is one step for its reader. Used under its loop's lock only.
final class ResponseDelivery {
    private let transfer: SocketTransfer
    private(set) var receiver: HTTP1Receiver
    private(set) var head: HTTPResponseHead?
    private var isHeadDelivered = false
    /// Whether the reader takes the body when it is complete.
    private var isWhole = false
    private var hasNews = false
    /// How much of a body that nobody reads has arrived, of a response that is no outcome of the transfer; otherwise `nil`.
    private var droppedBytes: Int?
    private static let mostDropped = 64 * 1024
    private var memory: BodyMemory?
    private var chunk: Data?
    private(set) var receivedBytes: Int64 = 0
    private(set) var firstByte: ContinuousClock.Instant?

    private let kept: KeptMemory

    init(_ transfer: SocketTransfer, _ limits: HTTP1Limits, _ kept: KeptMemory) {
        (self.transfer, self.kept) = (transfer, kept)
        let head = transfer.request.head
        receiver = HTTP1Receiver(head.url, head.method, limits, isOfProxy: transfer.route.isForwarded)
    }

    /// What a step of receiving has found.
    enum Step {
        case needsInput
        case informational(Int)
        /// `begin` or `drop` follows.
        case head(HTTPResponseHead)
        case body
        case complete
    }

    /// Takes the next step in the input.
    func step(
        in input: UnsafeRawBufferPointer, _ position: inout Int, _ now: ContinuousClock.Instant
    ) throws(AsyncNetError) -> Step {
        if firstByte == nil, !input.isEmpty { firstByte = now }
        switch try receiver.next(in: input, &position) {
        case nil: return .needsInput
        case .informational(let head):
            transfer.request.onEvent?(.informational(head))
            return .informational(head.statusCode)
        case .head(var head):
            if receiver.endsWithConnection { head.isTruncatable = true }
            return .head(head)
        case .body(let range):
            try receive(UnsafeRawBufferPointer(rebasing: input[range]))
            return .body
        case .trailers(let trailers):
            transfer.request.onEvent?(.trailers(trailers))
            return .body
        case .complete: return .complete
        }
    }

    /// The server has closed the connection.
    ///
    /// - Parameter isClean: Whether it said so, which it cannot without TLS. Otherwise anyone on the way could have cut a
    ///   body that ends with the connection (RFC 9112 §9.8), see ``HTTPResponseHead/isTruncatable``.
    func receiveEnd(isClean: Bool) throws(AsyncNetError) {
        try receiver.receiveEnd()
        guard !isClean, transfer.request.delivery != .whole else { return }
        throw AsyncNetError(.bodyEndedEarly, "The server closed the connection without TLS's close_notify")
    }

    /// Drops the response, whose body is read only as far as that keeps the connection.
    func drop() { droppedBytes = 0 }

    var isDropped: Bool { droppedBytes != nil }

    func begin(_ head: HTTPResponseHead) throws(AsyncNetError) {
        self.head = head
        hasNews = true
        let isEncoded = head.headers.contains(name: "Content-Encoding")
        if isEncoded { transfer.pipe.expectEncodedBody() }
        isWhole = transfer.request.delivery == .whole && !isEncoded
        if head.statusCode >= 300 || transfer.request.isUrgent?(head) == true { isWhole = false }
        guard isWhole, let length = receiver.bytesLeft else { return }
        if let limit = transfer.request.maximumBodySize, length > limit { throw AsyncNetError(bodyLargerThan: limit) }
        guard length <= Int64(Int.max) else { return }
        memory = BodyMemory(length: Int(length), kept)
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) throws(AsyncNetError) {
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
            throw AsyncNetError(.badServerResponse, "A response that is not needed is too large to keep its connection")
        }
    }

    // MARK: A body that is received where it stays

    /// Where the next bytes of a body of known length belong; `nil` for other bodies.
    func room() throws(AsyncNetError) -> UnsafeMutableRawBufferPointer? {
        guard memory != nil, receiver.bytesLeft != nil else { return nil }
        guard let room = memory?.room() else { throw Self.outOfMemory }
        return room
    }

    func didReceive(_ count: Int) {
        memory?.didFill(count)
        receiver.didReceive(Int64(count))
        receivedBytes += Int64(count)
        hasNews = true
    }

    private static var outOfMemory: AsyncNetError {
        AsyncNetError(.transportFailed, "There is no memory for the response's body")
    }

    // MARK: Delivering

    /// Passes on what arrived in this turn.
    ///
    /// - Returns: Whether the reader wants more.
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

    /// How much of a body is collected before it is passed on within a turn.
    static let largestChunk = 64 * 1024
    var isChunkFull: Bool { chunk.map { $0.count >= Self.largestChunk } ?? false }

    func finish(_ result: Result<Void, AsyncNetError>) {
        let last = memory?.take() ?? chunk
        memory = nil
        chunk = nil
        let isEmpty = last?.isEmpty ?? true
        transfer.pipe.finish(isHeadDelivered ? nil : head, isEmpty ? nil : last, result)
    }
}
