package import Foundation

/// Takes the body of a request's final response, in place of memory.
package protocol ResponseSink: Sendable {
    /// The request as it is to be sent now; asked before each attempt, once its adapters have run.
    func prepare(_ request: TransportRequest) async throws -> TransportRequest

    /// Reads the body to its end, on no actor. Returns once all is done with it that has to be done for the request to
    /// be over.
    func receive(_ body: WatchedBody, of head: HTTPResponseHead) async throws -> SinkVerdict

    /// Whether this response is the sink's to deal with, and none that the caller's validators should see.
    func isOwnMatter(_ head: HTTPResponseHead) -> Bool

    /// How long to wait before the request is prepared and sent anew by itself, now that an attempt has ended with this
    /// error or none; `nil`: it is not.
    func delayBeforeNextAttempt(after error: AsyncNetError?, head: HTTPResponseHead?) -> Duration?

    /// Whether an attempt that failed may be repeated: nobody has had a part of the body that could not be gone on
    /// with.
    var canBeSentAgain: Bool { get }

    /// How long the server may be silent, whatever the request says; `nil`: as it says.
    var timeout: Duration? { get }

    /// The request is over, with this error or none. Told once, also if no body ever came; it must return at once.
    func requestEnded(_ error: AsyncNetError?)
}

package enum SinkVerdict: Sendable {
    case done
    /// The response is of no use: the request is to be prepared and sent anew.
    case again
}

extension ResponseSink {
    package func prepare(_ request: TransportRequest) async throws -> TransportRequest { request }
    package func isOwnMatter(_ head: HTTPResponseHead) -> Bool { false }
    package func delayBeforeNextAttempt(after error: AsyncNetError?, head: HTTPResponseHead?) -> Duration? { nil }
    package var canBeSentAgain: Bool { true }
    package var timeout: Duration? { nil }
    package func requestEnded(_ error: AsyncNetError?) {}
}

/// How much of a body has come.
package struct ReceivedBytes: Sendable {
    package var count: Int64
    /// How much of the whole was there before.
    package var offset: Int64 = 0
    /// How much the whole has; `nil` if the response's head says it.
    package var total: Int64?
    /// How many bytes the body has by its `Content-Range`; `nil` where that does not limit it.
    package var expected: Int64?
    /// The body is longer than that.
    package private(set) var isExceeded = false

    /// Counts a chunk, unless the body is longer with it than the range that it should be.
    ///
    /// - Throws: `.badServerResponse`.
    package mutating func add(_ chunk: Int) throws(AsyncNetError) {
        isExceeded = expected.map { count + Int64(chunk) > $0 } ?? false
        guard !isExceeded else {
            throw AsyncNetError(
                .badServerResponse,
                "The body of the 206 response is longer than its Content-Range of \(expected ?? 0) bytes")
        }
        count += Int64(chunk)
    }

    /// - Throws: `.bodyEndedEarly` if the body is shorter than the range that it should be.
    package func checkEnd() throws(AsyncNetError) {
        guard let expected, count < expected else { return }
        throw AsyncNetError(
            .bodyEndedEarly,
            "The body of the 206 response ended after \(count) of the \(expected) bytes of its Content-Range")
    }
}

/// Who watches a body while it is read.
package struct BodyWatch: Sendable {
    /// Called whenever the network is waited for.
    package let willRead: @Sendable () -> Void
    /// Called when it no longer is.
    package let willRest: @Sendable () -> Void
    /// Called after each chunk; may refuse more.
    package let hasRead: @Sendable (ReceivedBytes) throws -> Void
    /// Called at the body's end.
    package let hasEnded: @Sendable () -> Void
    /// Whether the request is suspended.
    package let isHeldBack: @Sendable () -> Bool
    /// Waits for as long as it is.
    package let holdBack: @Sendable () async throws -> Void

    package init(
        willRead: @escaping @Sendable () -> Void, willRest: @escaping @Sendable () -> Void,
        hasRead: @escaping @Sendable (ReceivedBytes) throws -> Void,
        hasEnded: @escaping @Sendable () -> Void = {}, isHeldBack: @escaping @Sendable () -> Bool = { false },
        holdBack: @escaping @Sendable () async throws -> Void
    ) {
        (self.willRead, self.willRest, self.hasRead, self.hasEnded) = (willRead, willRest, hasRead, hasEnded)
        (self.isHeldBack, self.holdBack) = (isHeldBack, holdBack)
    }
}

/// A body that is being watched while it is read: counted, held back while its request is suspended, and not timed out
/// while it is its reader that takes its time. Read by one task at a time.
package final class WatchedBody {
    private var body: TransportBody.AsyncIterator
    package let watch: BodyWatch
    package private(set) var received = ReceivedBytes(count: 0)

    /// What came so far, in bytes.
    package var count: Int64 { received.count }
    /// How much of the whole was there before; counted in progress.
    package var offset: Int64 {
        get { received.offset }
        set { received.offset = newValue }
    }
    /// How much the whole has, if that is not this body's length and what was there before.
    package var total: Int64? {
        get { received.total }
        set { received.total = newValue }
    }

    /// - Parameter expected: How many bytes the body has by its `Content-Range`: more or fewer are an error.
    package init(_ body: TransportBody, watch: BodyWatch, expected: Int64? = nil) {
        self.body = body.makeAsyncIterator()
        self.watch = watch
        received.expected = expected
    }

    /// It is the reader who takes his time, until the next read.
    package func rest() { watch.willRest() }

    /// Counts what has come by another way.
    package func add(_ count: Int64) { received.count += count }

    /// The next bytes, never none; `nil` at the end.
    package func next() async throws -> Data? {
        watch.willRead()
        guard let chunk = try await body.next() else {
            // What is still to be done with it does not wait for the network.
            rest()
            watch.hasEnded()
            try received.checkEnd()
            return nil
        }
        try received.add(chunk.count)
        try watch.hasRead(received)
        try await watch.holdBack()
        return chunk
    }

    /// Puts each chunk somewhere, in order, to the end: on this task, or where a transport cannot pause and this task
    /// keeps up with it, on the transport's thread, which saves a change of threads for each chunk.
    package func forEach(_ put: @escaping @Sendable (Data) throws -> Void) async throws {
        while let chunk = try await next() {
            try put(chunk)
            try await relay(to: put)
        }
    }

    private func relay(to put: @escaping @Sendable (Data) throws -> Void) async throws {
        let relay = BodyRelay(received, watch, put)
        watch.willRead()
        guard await body.relay(relay.receive) else { return }
        received = relay.received
        if let failure = relay.failure { throw failure }
        try await watch.holdBack()
    }
}

/// Stands in for the reader of a body on the transport's thread.
private final class BodyRelay: Sendable {
    private let state: Locked<(received: ReceivedBytes, failure: (any Error)?)>
    private let watch: BodyWatch
    private let put: @Sendable (Data) throws -> Void

    init(_ received: ReceivedBytes, _ watch: BodyWatch, _ put: @escaping @Sendable (Data) throws -> Void) {
        state = Locked((received, nil))
        (self.watch, self.put) = (watch, put)
    }

    var received: ReceivedBytes { state.withLock { $0.received } }
    var failure: (any Error)? { state.withLock { $0.failure } }

    func receive(_ chunk: Data) -> Bool {
        do {
            let received = try state.withLock { state throws(AsyncNetError) in
                try state.received.add(chunk.count)
                return state.received
            }
            try watch.hasRead(received)
            try put(chunk)
        } catch {
            state.withLock { $0.failure = error }
            return false
        }
        watch.willRead()
        return !watch.isHeldBack()
    }
}
