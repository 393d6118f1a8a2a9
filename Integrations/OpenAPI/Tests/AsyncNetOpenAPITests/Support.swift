import AsyncNet
import Foundation
import HTTPTypes
import OpenAPIRuntime
import Synchronization

extension HTTPRequest {
    /// A request as generated code makes it.
    init(_ method: Method, _ path: String) { self.init(method: method, scheme: nil, authority: nil, path: path) }
}

/// Waits until the task is cancelled.
func untilCancelled() async {
    let never = AsyncStream<Never> { _ in }
    for await _ in never {}
}

/// Something that happens once, and that a task can wait for.
final class Signal: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func send() { continuation.finish() }

    /// - Parameter uncancelled: Whether a cancel of the task does not end the wait.
    func wait(uncancelled: Bool = false) async {
        guard uncancelled else { return await iterate() }
        await Task.detached { await self.iterate() }.value
    }

    private func iterate() async { for await _ in stream {} }
}

/// Pieces of text, any number of times.
struct Pieces: AsyncSequence, Sendable {
    let pieces: [String]

    init(_ pieces: [String]) { self.pieces = pieces }

    func makeAsyncIterator() -> Iterator { Iterator(rest: pieces[...]) }

    struct Iterator: AsyncIteratorProtocol {
        var rest: ArraySlice<String>
        mutating func next() async throws -> ArraySlice<UInt8>? { rest.popFirst().map { ArraySlice($0.utf8) } }
    }
}

/// Chunks without end, which counts them, and notes when nobody can read any more.
final class Endless: AsyncSequence, Sendable {
    static let size = 64 * 1024
    let waiting = Signal()
    let ended = Signal()
    private let count = Mutex(0)
    private let limit: Int

    /// - Parameter limit: After this number of chunks the next never comes.
    init(waitingAfter limit: Int = .max) { self.limit = limit }

    var made: Int { count.withLock { $0 } }

    func makeAsyncIterator() -> Iterator { Iterator(self) }

    fileprivate func next() async throws -> ArraySlice<UInt8>? {
        guard takeTurn() else {
            waiting.send()
            await untilCancelled()
            throw CancellationError()
        }
        return ArraySlice(repeating: 0x61, count: Self.size)
    }

    private func takeTurn() -> Bool {
        count.withLock { count in
            defer { count += 1 }
            return count < limit
        }
    }

    final class Iterator: AsyncIteratorProtocol, Sendable {
        private let source: Endless
        init(_ source: Endless) { self.source = source }
        deinit { source.ended.send() }
        func next() async throws -> ArraySlice<UInt8>? { try await source.next() }
    }
}

/// Responds with the request's body, as it arrives.
struct Echo: Transport {
    func send(_ request: TransportRequest) async throws -> TransportResponse {
        TransportResponse(
            head: HTTPResponseHead(statusCode: 200, url: request.head.url), body: TransportBody(request.body.chunks))
    }
}

/// Reads the request's body to its end, and responds then.
struct Swallowing: Transport {
    func send(_ request: TransportRequest) async throws -> TransportResponse {
        for try await _ in request.body.chunks {}
        return TransportResponse(
            head: HTTPResponseHead(statusCode: 200, url: request.head.url), body: TransportBody(Data()))
    }
}

/// Never responds.
struct Silent: Transport {
    let begun = Signal()
    let ended = Signal()

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        begun.send()
        await untilCancelled()
        ended.send()
        throw CancellationError()
    }
}

/// Responds with a body without end.
struct Held: Transport {
    let source = Endless()

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let iterator = source.makeAsyncIterator()
        let body = AsyncStream(unfolding: { try? await iterator.next().map { Data($0) } })
        return TransportResponse(
            head: HTTPResponseHead(statusCode: 200, url: request.head.url), body: TransportBody(body))
    }
}

/// Responds with these headers and three bytes.
struct Fixed: Transport {
    let headers: HTTPHeaders

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        TransportResponse(
            head: HTTPResponseHead(statusCode: 200, url: request.head.url, headers: headers),
            body: TransportBody(Data("abc".utf8)))
    }
}
