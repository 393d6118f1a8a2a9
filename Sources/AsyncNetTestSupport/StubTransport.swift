public import AsyncNet
import Foundation

/// A transport without sockets, whose responses routes or a closure make.
///
///     let stub = StubTransport { request in .json(["path": JSON(request.path)]) }
///     stub.on(.get, "/users/:id") { request in .json(User.ada) }
///     let session = Session(transport: stub)
///
/// Routes come first, in the manner of ``Routes``, then the closure. A fault becomes the error that a client would get,
/// and a stalled response waits until the request is cancelled. An error of a closure is the transport's error.
public final class StubTransport: Transport, MockRouter {
    /// Makes the response to a request.
    public typealias Handler = Routes.Handler

    private let handler: Handler?
    private let routes: RouteTable
    let clock: (any Clock<Duration>)?
    /// Carries requests without a route.
    private let rest: (any Transport)?
    private let log = RequestLog()
    /// What happens on connections that are not HTTP.
    let connections: ConnectionHandler?
    /// The tasks that serve connections.
    let tasks = OwnedTasks()

    /// Creates a transport whose closure responds to every request without a route.
    ///
    /// - Parameters:
    ///   - clock: The clock for the delays of responses. With `nil`, the default, that is the session's clock if it is
    ///     a ``TestClock``, else real time. The delay of a response to a WebSocket then passes in real time.
    ///   - handler: Makes the response to each request; may be called concurrently.
    public init(clock: (any Clock<Duration>)? = nil, _ handler: @escaping Handler) {
        (self.clock, self.handler, rest, connections) = (clock, handler, nil, nil)
        routes = RouteTable(Routes())
    }

    /// Creates a transport that responds with a 404 to requests without a route.
    ///
    /// - Parameters:
    ///   - clock: The clock for the delays of responses, as in ``init(clock:_:)``.
    ///   - routes: The first routes; `on` adds more.
    ///   - connections: What happens on connections that are not HTTP; `nil`, the default, refuses these.
    public init(
        clock: (any Clock<Duration>)? = nil, routes: Routes = Routes(), connections: ConnectionHandler? = nil
    ) {
        (self.clock, handler, rest, self.connections) = (clock, nil, nil, connections)
        self.routes = RouteTable(routes)
    }

    /// - Parameter rest: Carries requests without a route, which the stub does not record. With `nil` they get a 404.
    package init(routes: Routes, rest: (any Transport)?) {
        (clock, handler, self.rest, connections) = (nil, nil, rest, nil)
        self.routes = RouteTable(routes)
    }

    deinit { tasks.cancel() }

    /// All requests received, in order.
    public var requests: [RecordedRequest] { log.requests }

    /// Waits until at least this number of requests have been received, or the current task is cancelled.
    ///
    /// - Returns: All requests received until then; after a cancel they may be fewer.
    public func requests(atLeast count: Int) async -> [RecordedRequest] { await log.requests(atLeast: count) }

    public func add(_ routes: Routes) { self.routes.add(routes) }

    public func verify() throws { try routes.verify() }

    /// The value of the transport for requests without a route; `true` without such a transport.
    public var judgesAddresses: Bool { rest?.judgesAddresses ?? true }

    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        if let rest, !routes.hasRoute(for: request.head.method, request.path) { return try await rest.send(request) }
        let transfer = SimulatedTransfer(request, clock: clock)
        transfer.begin()
        let reply = try await reply(to: RecordedRequest(request, body: try await transfer.readBody()))
        try await transfer.pause(reply.delay)
        try await failBeforeHead(reply, transfer)
        for (status, headers) in reply.informational { transfer.sendInformational(status, headers) }
        var headers = reply.headers
        if let length = reply.addedLength { headers.add(name: "Content-Length", value: "\(length)") }
        let head = HTTPResponseHead(
            statusCode: reply.statusCode, url: request.head.url, headers: headers, httpVersion: "HTTP/1.1",
            reasonPhrase: reply.reason)
        let hasBody = transfer.hasBody(reply.statusCode)
        return TransportResponse(
            head: head, body: hasBody ? TransportBody(StubBody(reply, transfer)) : TransportBody(Data()))
    }

    func reply(to request: RecordedRequest) async throws -> MockResponse {
        var request = request
        let found = routes.take(request.method, request.path)
        if case .handler(_, let parameters) = found { request.parameters = parameters }
        if case .reply(_, let parameters) = found { request.parameters = parameters }
        log.append(request)
        switch found {
        case .handler(let handler, _): return try await handler(request)
        case .reply(let reply, _): return reply
        case .otherMethods(let methods): return try await handler?(request) ?? routes.refuse(request, methods)
        case .none: return try await handler?(request) ?? routes.refuse(request, [])
        }
    }

    private func failBeforeHead(_ reply: MockResponse, _ transfer: SimulatedTransfer) async throws {
        if reply.rawBytes != nil {
            throw AsyncNetError(.badServerResponse, "A stub cannot send raw bytes; use a MockServer")
        }
        switch reply.fault {
        case .refuse: throw AsyncNetError(.cannotConnect)
        case .closeBeforeHead: throw AsyncNetError(.emptyReply)
        case .resetBeforeHead, .resetStream(_, after: nil), .goAway(_, lastStream: .some):
            throw AsyncNetError(.connectionLost)
        case .garbage: throw AsyncNetError(.badServerResponse)
        case .stall: try await transfer.waitForCancellation()
        default: break
        }
    }
}

/// The body in pieces, which ends according to its fault.
private struct StubBody: AsyncSequence, Sendable {
    let reply: MockResponse
    let transfer: SimulatedTransfer
    let streamed: StreamedBody?

    init(_ reply: MockResponse, _ transfer: SimulatedTransfer) {
        (self.reply, self.transfer) = (reply, transfer)
        streamed = reply.streamed.map { StreamedBody($0, reply.fault, on: transfer.executor) }
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(reply: reply, transfer: transfer, pieces: reply.pieces[...], streamed: streamed)
    }

    struct Iterator: AsyncIteratorProtocol {
        let reply: MockResponse
        let transfer: SimulatedTransfer
        var pieces: ArraySlice<BodyPiece>
        var streamed: StreamedBody?

        mutating func next() async throws -> Data? {
            try Task.checkCancellation()
            if let piece = try await nextPiece() {
                try await transfer.pause(piece.pause)
                return piece.bytes
            }
            switch reply.fault {
            case .resetAfterHead, .resetMidBody: throw AsyncNetError(.connectionLost)
            case .truncate, .resetStream: throw AsyncNetError(.bodyEndedEarly)
            case .stallMidBody: try await transfer.waitForCancellation()
            default: transfer.sendTrailers(reply.trailers)
            }
            return nil
        }

        private mutating func nextPiece() async throws -> BodyPiece? {
            guard let streamed else { return pieces.popFirst() }
            switch await streamed.takeNext() {
            case .piece(let piece): return piece
            case .end(let error):
                self.streamed = nil
                if let error { throw error }
                return nil
            case nil: throw CancellationError()
            }
        }
    }
}

extension TransportRequest {
    /// The path of the request line.
    fileprivate var path: String {
        let path = head.url.path(percentEncoded: true)
        return path.isEmpty ? "/" : path
    }
}

extension RecordedRequest {
    fileprivate init(_ request: TransportRequest, body: Data) {
        let query = request.head.url.query(percentEncoded: true).map { "?\($0)" } ?? ""
        self.init(
            method: request.head.method, target: request.path + query, headers: request.head.headers,
            body: body, connection: 0, httpVersion: "HTTP/1.1")
    }
}
