import Foundation

protocol BodyObserver: AnyObject, Sendable {
    /// Called when the reader begins to wait for the server.
    func willRead()
    /// Called when the reader stops waiting for the server, until the next `willRead`.
    func willRest()
    /// Called for each chunk that was received; throws if the body is longer than the request allows.
    func didRead(_ bytes: ReceivedBytes, of head: HTTPResponseHead) throws
    /// Called before a chunk is delivered.
    func willDeliver(_ chunk: Data)
    func didEnd(_ head: HTTPResponseHead)
    /// Called with a body that was kept in memory, or with the bytes received before it broke off.
    func didCollect(_ data: Data)
    var isSuspended: Bool { get }
    func waitWhileSuspended() async
    /// Runs the last step of the request unless the request is over, see ``RunOwner/settle(_:)``.
    func settle(_ step: @Sendable () throws -> Void) async throws
    /// Sends the request that led to this body again, after `change`, in a separate run under the same policies.
    /// Returns when `sink` has received the whole body of the new response.
    func fetch(into sink: any ResponseSink, _ change: (inout TransportRequest) -> Void) async throws
}

/// The body of a response while a sink reads it: counts its bytes, waits while the request is suspended, and stops the
/// timeout while the sink processes a chunk. Read by one task at a time.
struct ResponseBody {
    private var body: TransportBody.AsyncIterator
    let head: HTTPResponseHead
    let observer: any BodyObserver
    private(set) var received = ReceivedBytes(count: 0)
    /// The body, once `collect()` has read it.
    private(set) var collected: Data?

    var count: Int64 { received.count }
    /// How many bytes a download's file had before this response; progress counts them too.
    var offset: Int64 {
        get { received.offset }
        set { received.offset = newValue }
    }
    var total: Int64? {
        get { received.total }
        set { received.total = newValue }
    }

    /// - Parameter expected: The length of the body by its `Content-Range`; a body of another length is an error.
    init(_ body: TransportBody, of head: HTTPResponseHead, observer: any BodyObserver, expected: Int64? = nil) {
        self.body = body.makeAsyncIterator()
        (self.head, self.observer) = (head, observer)
        received.expected = expected
    }

    /// Stops the timeout until the next read: the sink does not wait for the server.
    func rest() { observer.willRest() }

    /// Counts bytes of other responses, such as the other segments of a download.
    mutating func add(_ count: Int64) { received.count += count }

    /// The next chunk, never empty; `nil` at the end of the body.
    mutating func next() async throws -> Data? {
        observer.willRead()
        guard let chunk = try await body.next() else {
            // The sink may still process the body, such as by moving a file; that time is not the server's silence.
            rest()
            try received.checkEnd()
            observer.didEnd(head)
            return nil
        }
        try received.add(chunk.count)
        try observer.didRead(received, of: head)
        observer.willDeliver(chunk)
        if observer.isSuspended { await observer.waitWhileSuspended() }
        return chunk
    }

    /// Reads the body into memory, and keeps the bytes received if the body breaks off.
    mutating func collect() async throws {
        if let whole = body.takeWhole() {
            try collect(whole)
            collected = whole
            if observer.isSuspended { await observer.waitWhileSuspended() }
            return
        }
        var data = Data()
        defer { observer.didCollect(data) }
        while let chunk = try await next() {
            // The only chunk of a small body is not copied.
            if data.isEmpty { data = chunk } else { data.append(chunk) }
        }
        collected = data
    }

    private mutating func collect(_ whole: Data) throws {
        defer { observer.didCollect(whole) }
        rest()
        if !whole.isEmpty {
            try received.add(whole.count)
            try observer.didRead(received, of: head)
            observer.willDeliver(whole)
        }
        try received.checkEnd()
        observer.didEnd(head)
    }

    mutating func forEach(_ put: (Data) throws -> Void) async throws {
        while let chunk = try await next() { try put(chunk) }
    }
}
