import AsyncNet
import Foundation
import Synchronization

/// Responds with the request's body, as it arrives.
struct Echo: Transport {
    func send(_ request: TransportRequest) async throws -> TransportResponse {
        TransportResponse(
            head: HTTPResponseHead(statusCode: 200, url: request.head.url), body: TransportBody(request.body.chunks))
    }
}

/// Never responds.
struct Silent: Transport {
    let begun = Signal()
    let cancelled = Signal()

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        begun.send()
        let never = AsyncStream<Never> { _ in }
        for await _ in never {}
        cancelled.send()
        throw CancellationError()
    }
}

/// Responds with a body without end, and notes when nobody can read it any more.
struct Held: Transport {
    let released = Signal()

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let chunks = Endless(Counter(noting: released))
        let iterator = chunks.makeAsyncIterator()
        let body = AsyncStream(unfolding: { try? await iterator.next() })
        return TransportResponse(
            head: HTTPResponseHead(statusCode: 200, url: request.head.url), body: TransportBody(body))
    }
}

/// Something that happens once, and that a task can wait for.
final class Signal: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func send() { continuation.finish() }
    func wait() async { for await _ in stream {} }
}

/// Counts the chunks of a body, and notes its end.
final class Counter: Sendable {
    private let count = Mutex(0)
    private let end: Signal

    init(noting end: Signal = Signal()) { self.end = end }

    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
    func noteEnd() { end.send() }
    func ended() async { await end.wait() }
}

/// Chunks without end, which a counter counts; it notes when nobody can read any more.
struct Endless: AsyncSequence, Sendable {
    static let size = 64 * 1024
    private let counter: Counter

    init(_ counter: Counter) { self.counter = counter }

    func makeAsyncIterator() -> Iterator { Iterator(counter) }

    final class Iterator: AsyncIteratorProtocol, Sendable {
        private let counter: Counter

        init(_ counter: Counter) { self.counter = counter }
        deinit { counter.noteEnd() }

        func next() async throws -> Data? {
            counter.add()
            return Data(repeating: 0x61, count: Endless.size)
        }
    }
}
