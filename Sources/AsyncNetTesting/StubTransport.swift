public import AsyncNet
import Foundation

/// A transport without sockets, whose responses a closure makes.
///
///     let stub = StubTransport { request in .json(["path": JSON(request.path)]) }
///     let session = Session(transport: stub)
///
/// A response's delay is slept on the stub's clock, a fault becomes the error that a client would get, and a stalled
/// response waits until the request is cancelled. An error of the closure is the transport's error.
public final class StubTransport: Transport {
    /// Makes the response to a request.
    public typealias Handler = @Sendable (RecordedRequest) async throws -> MockResponse

    private let handler: Handler
    private let clock: any Clock<Duration>
    private let received = Locked<[RecordedRequest]>([])

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - clock: The clock for the delays of responses.
    ///   - handler: Makes the response to each request; may be called concurrently.
    public init(clock: any Clock<Duration> = ContinuousClock(), _ handler: @escaping Handler) {
        self.clock = clock
        self.handler = handler
    }

    /// All requests received, in order.
    public var requests: [RecordedRequest] { received.withLock { $0 } }

    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        let recorded = RecordedRequest(request, body: try await collect(request))
        received.withLock { $0.append(recorded) }
        let reply = try await handler(recorded)
        if reply.delay > .zero { try await clock.sleep(for: reply.delay) }
        try await failBeforeHead(reply)
        for (status, headers) in reply.informational {
            request.onEvent?(
                .informational(HTTPResponseHead(statusCode: status, url: request.head.url, headers: headers)))
        }
        let head = HTTPResponseHead(
            statusCode: reply.statusCode, url: request.head.url, headers: reply.headers, httpVersion: "HTTP/1.1",
            reasonPhrase: reply.reason)
        let hasNoBody = request.head.method == .head || [204, 304].contains(reply.statusCode)
        return TransportResponse(head: head, body: hasNoBody ? TransportBody(Data()) : TransportBody(StubBody(reply)))
    }

    /// Reads the complete body, as a server would.
    private func collect(_ request: TransportRequest) async throws -> Data {
        if let data = request.body.data { return data }
        var body = Data()
        for try await chunk in request.body.chunks {
            body.append(chunk)
            request.onEvent?(.sentBody(bytes: Int64(body.count), total: request.body.length))
        }
        return body
    }

    private func failBeforeHead(_ reply: MockResponse) async throws {
        if reply.rawBytes != nil {
            throw AsyncNetError(.badServerResponse, "A stub cannot send raw bytes; use a MockServer")
        }
        switch reply.fault {
        case .refuse: throw AsyncNetError(.cannotConnect)
        case .closeBeforeHead: throw AsyncNetError(.emptyReply)
        case .resetBeforeHead: throw AsyncNetError(.connectionLost)
        case .garbage: throw AsyncNetError(.badServerResponse)
        case .stall: try await waitForCancellation()
        default: break
        }
    }
}

/// The body in pieces, which ends according to its fault.
private struct StubBody: AsyncSequence, Sendable {
    let pieces: [Data]
    let fault: MockResponse.Fault?

    init(_ reply: MockResponse) {
        let body = reply.chunks?.reduce(Data(), +) ?? reply.body
        fault = reply.fault
        switch reply.fault {
        case .resetAfterHead: pieces = []
        case .resetMidBody(let count), .truncate(let count), .stallMidBody(let count): pieces = [body.prefix(count)]
        case .drip(let count, _):
            pieces = stride(from: 0, to: body.count, by: Swift.max(1, count)).map { body.dropFirst($0).prefix(count) }
        default: pieces = reply.chunks ?? [body]
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(pieces: pieces[...], fault: fault) }

    struct Iterator: AsyncIteratorProtocol {
        var pieces: ArraySlice<Data>
        let fault: MockResponse.Fault?

        mutating func next() async throws -> Data? {
            try Task.checkCancellation()
            if let piece = pieces.popFirst() { return piece }
            switch fault {
            case .resetAfterHead, .resetMidBody: throw AsyncNetError(.connectionLost)
            case .truncate: throw AsyncNetError(.bodyEndedEarly)
            case .stallMidBody: try await waitForCancellation()
            default: break
            }
            return nil
        }
    }
}

/// Suspends until the task is cancelled, then throws.
private func waitForCancellation() async throws {
    let (never, end) = AsyncStream.makeStream(of: Void.self)
    for await _ in never {}
    withExtendedLifetime(end) {}
    throw CancellationError()
}

extension RecordedRequest {
    fileprivate init(_ request: TransportRequest, body: Data) {
        let url = request.head.url
        let path = url.path(percentEncoded: true)
        let query = url.query(percentEncoded: true).map { "?\($0)" } ?? ""
        self.init(
            method: request.head.method, target: (path.isEmpty ? "/" : path) + query, headers: request.head.headers,
            body: body, connection: 0, httpVersion: "HTTP/1.1")
    }
}
