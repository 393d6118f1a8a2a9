import Foundation

/// What has arrived and what is to be sent on a `PipedConnection`, and how each direction ended. Without I/O, locks
/// and continuations: each function returns what the connection does once it has released its lock.
struct DuplexPipeState {
    /// How many bytes are kept in each direction before their sender has to wait.
    static let highWaterMark = 256 * 1024

    enum Read {
        /// - Parameter makesRoom: Whether the connection's owner had stopped receiving for lack of room, and may go on.
        case bytes(Data, makesRoom: Bool)
        case end
        case failure(AsyncNetError)
        case wait
    }

    private var received: ArraySlice<Data> = []
    private var receivedBytes = 0
    private var isPaused = false
    private var receivingEnd: Result<Void, AsyncNetError>?

    private var outgoing = PipedConnection.Outgoing()
    /// How many bytes the connection's owner has not sent yet, those that it has taken included.
    private var unsentBytes = 0
    private var isSendingFinished = false
    /// Whether the connection's owner has been notified that there is something to take.
    private var isAnnounced = false
    private var isClosing = false
    private(set) var isAborted = false
    /// Why the connection is closed; `nil` while it is open.
    private(set) var closure: AsyncNetError?
    private(set) var sendingFailure: AsyncNetError?

    /// How many bytes the connection's owner may receive now. With 0 the owner waits until a read makes room.
    mutating func receivingRoom() -> Int {
        let room = max(0, Self.highWaterMark - receivedBytes)
        isPaused = room == 0
        return room
    }

    mutating func receive(_ data: Data) {
        received.append(data)
        receivedBytes += data.count
    }

    /// Called when the peer has ended its side, or the connection has failed. The first call counts.
    mutating func endReceiving(_ result: Result<Void, AsyncNetError>) { receivingEnd = receivingEnd ?? result }

    var isReadable: Bool { !received.isEmpty || receivingEnd != nil }

    mutating func read() -> Read {
        if let data = received.takeFirst(leaving: Data()) {
            receivedBytes -= data.count
            let makesRoom = isPaused && receivedBytes <= Self.highWaterMark / 2
            if makesRoom { isPaused = false }
            return .bytes(data, makesRoom: makesRoom)
        }
        switch receivingEnd {
        case .success: return .end
        case .failure(let error): return .failure(error)
        case nil: return .wait
        }
    }

    var hasSendingRoom: Bool { unsentBytes < Self.highWaterMark || sendingError != nil }

    /// The error that a write throws once the connection is closed, the peer receives no more, or sending was finished.
    var sendingError: AsyncNetError? {
        if let sendingFailure { return sendingFailure }
        if isClosing { return Self.closedHere }
        return isSendingFinished
            ? AsyncNetError(.invalidRequest, "This program has ended its side of the connection") : nil
    }

    /// - Returns: Whether the connection's owner must be notified that there is something to send.
    mutating func send(_ data: Data) throws(AsyncNetError) -> Bool {
        if let error = sendingError { throw error }
        guard !data.isEmpty else { return false }
        outgoing.pieces.append(data)
        unsentBytes += data.count
        return announce()
    }

    mutating func finishSending() throws(AsyncNetError) -> Bool {
        if let sendingFailure { throw sendingFailure }
        guard !isSendingFinished, !isClosing else { return false }
        isSendingFinished = true
        outgoing.isLast = true
        return announce()
    }

    /// - Returns: Whether the connection's owner must be notified; `nil` if the connection is closed.
    mutating func close() -> Bool? {
        guard closure == nil else { return nil }
        isClosing = true
        outgoing.closes = true
        return announce()
    }

    private mutating func announce() -> Bool {
        defer { isAnnounced = true }
        return !isAnnounced
    }

    mutating func takeOutgoing() -> PipedConnection.Outgoing {
        isAnnounced = false
        defer { outgoing.pieces = [] }
        return outgoing
    }

    mutating func didSend(_ count: Int) { unsentBytes -= count }

    mutating func failSending(_ error: AsyncNetError) {
        sendingFailure = sendingFailure ?? error
        outgoing.pieces = []
    }

    /// Called when the connection is closed; without an error if this program has closed it. What has arrived can still
    /// be read.
    mutating func didClose(_ error: AsyncNetError?) {
        guard closure == nil else { return }
        endReceiving(error.map { .failure($0) } ?? .success(()))
        closure = error ?? Self.closedHere
        failSending(error ?? Self.closedHere)
    }

    mutating func abort(_ error: AsyncNetError) {
        isAborted = true
        didClose(error)
    }

    private static var closedHere: AsyncNetError {
        AsyncNetError(.connectionLost, "This program has closed the connection")
    }
}
