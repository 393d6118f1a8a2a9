import Foundation

/// Sends a WebSocket's handshake (RFC 6455 §4.1) on a connection of its own, which both sides then use for the WebSocket.
/// So the handshake takes the way of every request: adapters, cookies, credentials, redirects, time-outs, retries.
final class UpgradeTransport: Transport {
    private let connections: any Transport
    private let protocols: [String]
    private let compression: WebSocketCompression?
    private let state = Locked(State())

    private struct State {
        /// Of the first request, until it is sent.
        var first: WebSocketHandshake?
        /// Of the last request.
        var handshake: WebSocketHandshake?
        var upgraded: Upgraded?
    }

    /// A connection that the server has agreed to use for a WebSocket.
    struct Upgraded: Sendable {
        let connection: any DuplexConnection
        /// What the server has sent after its 101 response.
        let received: Data
    }

    /// - Parameter connections: Opens the connection.
    init(over connections: any Transport, protocols: [String], compression: WebSocketCompression?) {
        self.connections = connections
        self.protocols = protocols
        self.compression = compression
    }

    var transportDescription: String { connections.transportDescription }

    /// The headers of the first handshake, which adapters see. Each later handshake has a `Sec-WebSocket-Key` of its
    /// own, since each connection must have a new key.
    func makeFirstHandshake() throws(AsyncNetError) -> HTTPHeaders {
        let handshake = try makeHandshake()
        state.withLock { $0.first = handshake }
        return handshake.headers
    }

    private func makeHandshake() throws(AsyncNetError) -> WebSocketHandshake {
        try WebSocketHandshake(protocols: protocols, compression: compression)
    }

    /// What the response to the last handshake agrees to.
    func agreement(from head: HTTPResponseHead) throws(AsyncNetError) -> WebSocketAgreement {
        guard let handshake = state.withLock({ $0.handshake }) else { throw AsyncNetError(.webSocketHandshakeFailed) }
        return try handshake.agreement(from: head)
    }

    /// The connection of the last handshake, if its response had the status 101.
    func takeUpgraded() -> Upgraded? { state.withLock { $0.upgraded.take() } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let handshake = try state.withLock { $0.first } ?? makeHandshake()
        state.withLock { $0 = State(handshake: handshake) }
        var request = request
        request.head.headers.merge(handshake.headers)
        let (endpoint, authority, target) = try ServerEndpoint.parse(request.head.urlText)
        let connection = try await connections.connection(
            to: DuplexRequest(
                host: endpoint.host, port: Int(endpoint.port), security: endpoint.isTLS ? .transport : .none,
                isHTTP: true))
        if request.interests != nil { request.onEvent?(.connected(connection.info)) }
        let bytes = Data(HTTP1RequestHead.bytes(request.head, target: target, authority: authority, .none))
        try connection.send(bytes)
        if request.isHeadObserved { request.onEvent?(.sentHead(bytes.withUnsafeBytes { SentHead($0) })) }
        let response = UpgradeResponse(connection, request.head)
        let head = try await Self.head(of: response, request)
        var metrics = TransportMetrics(httpVersion: head.httpVersion, isConnectionReused: false)
        metrics.certificates = connection.info.certificates
        request.onEvent?(.metrics(metrics))
        guard head.statusCode == 101 else {
            return TransportResponse(head: head, body: TransportBody(response), isContentDecoded: false)
        }
        let received = response.rest
        state.withLock { $0.upgraded = Upgraded(connection: connection, received: received) }
        return TransportResponse(head: head, body: TransportBody(Data()))
    }

    /// The final response's head.
    private static func head(
        of response: UpgradeResponse, _ request: TransportRequest
    ) async throws -> HTTPResponseHead {
        while let event = try await response.nextEvent() {
            switch event {
            case .informational(let head): request.onEvent?(.informational(head))
            case .head(let head): return head.withHTTPLocation
            case .body, .trailers, .complete: break
            }
        }
        throw AsyncNetError(.emptyReply)
    }
}

/// The response on a connection that is used for nothing else; its body, if the server does not switch the protocol. Releasing
/// it closes the connection.
///
/// Unchecked: used by one task at a time.
private final class UpgradeResponse: AsyncSequence, AsyncIteratorProtocol, @unchecked Sendable {
    private let connection: any DuplexConnection
    private var receiver: HTTP1Receiver
    /// What has been received and is no part of an event so far.
    private(set) var rest = Data()
    /// The bytes of the last event, if it is of the body.
    private var piece = Data()

    init(_ connection: any DuplexConnection, _ request: HTTPRequestHead) {
        self.connection = connection
        receiver = HTTP1Receiver(request.url, request.method)
    }

    func makeAsyncIterator() -> UpgradeResponse { self }

    func next() async throws -> Data? {
        while let event = try await nextEvent() {
            if case .body = event { return piece }
        }
        return nil
    }

    /// - Returns: `nil` after the end of the response.
    func nextEvent() async throws -> HTTP1Receiver.Event? {
        while !receiver.isComplete {
            if let event = try take() { return event }
            try receive(try await connection.receive())
        }
        return nil
    }

    // Not inlined: the compiler (6.3.1) crashes when it optimizes the receiver's functions into an async function.

    @inline(never)
    private func take() throws(AsyncNetError) -> HTTP1Receiver.Event? {
        var position = 0
        let event = try rest.withBytes { bytes throws(AsyncNetError) in try receiver.next(in: bytes, &position) }
        if case .body(let range) = event { piece = Data(rest.dropFirst(range.lowerBound).prefix(range.count)) }
        rest = Data(rest.dropFirst(position))
        return event
    }

    /// - Parameter bytes: `nil` at the end of the connection.
    @inline(never)
    private func receive(_ bytes: Data?) throws(AsyncNetError) {
        if let bytes { rest.append(bytes) } else { try receiver.receiveEnd() }
    }
}

extension HTTPResponseHead {
    /// The head with a `Location` whose scheme is `http` in place of `ws` and `https` in place of `wss`, as that of the
    /// request.
    fileprivate var withHTTPLocation: HTTPResponseHead {
        guard let location = value(for: "Location"), let url = WebSocketURL.httpText(of: location) else { return self }
        var headers = headers
        headers.update(HTTPHeader(name: "Location", value: url))
        return HTTPResponseHead(
            statusCode: statusCode, url: self.url, headers: headers, httpVersion: httpVersion,
            reasonPhrase: reasonPhrase)
    }
}
