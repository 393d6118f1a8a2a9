import Foundation

/// Told of how the reading of a body goes.
protocol BodyObserver: AnyObject, Sendable {
    /// The reader waits for the server.
    func willRead()
    /// The reader does not wait for the server until `willRead`.
    func willRest()
    /// Bytes have come; may refuse more.
    func didRead(_ bytes: ReceivedBytes, of head: HTTPResponseHead) throws
    /// The body has ended.
    func didEnd()
    /// A body that is kept in memory, or what has come of it.
    func didCollect(_ data: Data)
    var isSuspended: Bool { get }
    func waitWhileSuspended() async
    /// Sends the request that led to this body once more, changed, in a run of its own under the same policies. Returns
    /// once the sink has all of that response's body.
    func fetch(into sink: any ResponseSink, _ change: (inout TransportRequest) -> Void) async throws
}

/// The body of a response while a sink reads it: counted, not read while the request is suspended, and not timed out
/// while its reader is busy. Read by one task at a time.
struct ResponseBody {
    private var body: TransportBody.AsyncIterator
    let head: HTTPResponseHead
    let observer: any BodyObserver
    private(set) var received = ReceivedBytes(count: 0)

    /// The bytes that have come.
    var count: Int64 { received.count }
    /// The bytes of the whole that were there before; they are counted in progress.
    var offset: Int64 {
        get { received.offset }
        set { received.offset = newValue }
    }
    /// The bytes of the whole, if these are not the body's and those that were there before.
    var total: Int64? {
        get { received.total }
        set { received.total = newValue }
    }

    /// - Parameter expected: The bytes that the body has by its `Content-Range`: more or fewer are an error.
    init(_ body: TransportBody, of head: HTTPResponseHead, observer: any BodyObserver, expected: Int64? = nil) {
        self.body = body.makeAsyncIterator()
        (self.head, self.observer) = (head, observer)
        received.expected = expected
    }

    /// The reader does not wait for the server until the next read.
    func rest() { observer.willRest() }

    /// Counts bytes that have come by another way.
    mutating func add(_ count: Int64) { received.count += count }

    /// The next bytes, never none; `nil` at the end.
    mutating func next() async throws -> Data? {
        observer.willRead()
        guard let chunk = try await body.next() else {
            // What is still to be done with the body does not wait for the server.
            rest()
            observer.didEnd()
            try received.checkEnd()
            return nil
        }
        try received.add(chunk.count)
        try observer.didRead(received, of: head)
        if observer.isSuspended { await observer.waitWhileSuspended() }
        return chunk
    }

    /// Reads the body into memory. The bytes of a body that breaks off are kept too.
    mutating func collect() async throws {
        var data = Data()
        defer { observer.didCollect(data) }
        while let chunk = try await next() {
            // A single chunk, as small bodies are, is not copied.
            if data.isEmpty { data = chunk } else { data.append(chunk) }
        }
    }

    /// Puts each chunk somewhere, in order, to the end: on this task, or where a transport cannot pause and this task
    /// keeps up with it, on the transport's thread, which saves a change of threads for each chunk.
    mutating func forEach(_ put: @escaping @Sendable (Data) throws -> Void) async throws {
        while let chunk = try await next() {
            try put(chunk)
            try await relay(to: put)
        }
    }

    private mutating func relay(to put: @escaping @Sendable (Data) throws -> Void) async throws {
        let relay = BodyRelay(received, head, observer, put)
        observer.willRead()
        guard await body.relay(relay.receive) else { return }
        received = relay.received
        if let failure = relay.failure { throw failure }
        if observer.isSuspended { await observer.waitWhileSuspended() }
    }
}

/// Receives chunks in place of the reader, on the transport's thread.
private final class BodyRelay: Sendable {
    private let state: Locked<(received: ReceivedBytes, failure: (any Error)?)>
    private let head: HTTPResponseHead
    private let observer: any BodyObserver
    private let put: @Sendable (Data) throws -> Void

    init(
        _ received: ReceivedBytes, _ head: HTTPResponseHead, _ observer: any BodyObserver,
        _ put: @escaping @Sendable (Data) throws -> Void
    ) {
        state = Locked((received, nil))
        (self.head, self.observer, self.put) = (head, observer, put)
    }

    var received: ReceivedBytes { state.withLock { $0.received } }
    var failure: (any Error)? { state.withLock { $0.failure } }

    func receive(_ chunk: Data) -> Bool {
        do {
            let received = try state.withLock { state throws(AsyncNetError) in
                try state.received.add(chunk.count)
                return state.received
            }
            try observer.didRead(received, of: head)
            try put(chunk)
        } catch {
            state.withLock { $0.failure = error }
            return false
        }
        observer.willRead()
        return !observer.isSuspended
    }
}
