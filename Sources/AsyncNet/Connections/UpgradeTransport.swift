import Foundation

/// Sends a WebSocket's handshake (RFC 6455 §4.1) on a connection of its own, which both sides then use for the
/// WebSocket. So adapters, cookies, credentials, redirects, time-outs and retries apply to the handshake as to every
/// request.
final class UpgradeTransport: Transport {
    private let connections: any Transport
    private let protocols: [String]
    private let compression: WebSocketCompression?
    private let state = Locked(State())

    private struct State {
        /// The handshake of the first request, until the request is sent.
        var first: WebSocketHandshake?
        /// The handshake of the last request that was sent.
        var handshake: WebSocketHandshake?
        /// Where the first request was sent to, before any redirect.
        var origin: ServerEndpoint?
        var upgraded: Upgraded?
    }

    struct Upgraded: Sendable {
        let connection: any DuplexConnection
        /// What the server has sent after its 101 response.
        let received: Data
    }

    init(over connections: any Transport, protocols: [String], compression: WebSocketCompression?) {
        self.connections = connections
        self.protocols = protocols
        self.compression = compression
    }

    var transportDescription: String { connections.transportDescription }
    var judgesAddresses: Bool { connections.judgesAddresses }

    /// The headers of the first handshake, which adapters see. Each later connection has a `Sec-WebSocket-Key` of its
    /// own.
    func makeFirstHandshake() throws(AsyncNetError) -> HTTPHeaders {
        let handshake = try makeHandshake()
        state.withLock { $0.first = handshake }
        return handshake.headers
    }

    private func makeHandshake(isElsewhere: Bool = false) throws(AsyncNetError) -> WebSocketHandshake {
        // Subprotocols with credentials are not sent to another origin, as headers with credentials are not.
        try WebSocketHandshake(
            protocols: isElsewhere ? RedactionRule.withoutCredentials(protocols) : protocols, compression: compression)
    }

    func agreement(from head: HTTPResponseHead) throws(AsyncNetError) -> WebSocketAgreement {
        guard let handshake = state.withLock({ $0.handshake }) else { throw AsyncNetError(.webSocketHandshakeFailed) }
        return try handshake.agreement(from: head)
    }

    func takeUpgraded() -> Upgraded? { state.withLock { $0.upgraded.take() } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let (endpoint, target) = try ServerEndpoint.parse(request.head.urlText)
        let (first, origin) = state.withLock { ($0.first, $0.origin ?? endpoint) }
        let handshake = try first ?? makeHandshake(isElsewhere: endpoint != origin)
        state.withLock { $0 = State(handshake: handshake, origin: origin) }
        var request = request
        if endpoint != origin { request.head.headers.remove("Sec-WebSocket-Protocol") }
        request.head.headers.merge(handshake.headers)
        var opening = DuplexRequest(
            host: endpoint.host, port: Int(endpoint.port), security: endpoint.isTLS ? .transport : .none, isHTTP: true)
        opening.addresses = request.addresses
        let connection = try await connections.connection(to: opening)
        if request.interests != nil { request.onEvent?(.connected(connection.info)) }
        let bytes = Data(HTTP1RequestHead.bytes(request.head, target: target, authority: endpoint.authority, .none))
        try connection.send(bytes)
        if request.isHeadObserved { request.onEvent?(.sentHead(bytes.withUnsafeBytes { SentHead($0) })) }
        let response = UpgradeResponse(to: request.head)
        let head = try await Self.head(of: response, on: connection, request)
        var metrics = TransportMetrics(httpVersion: head.httpVersion, isConnectionReused: false)
        metrics.certificates = connection.info.certificates
        metrics.certificateExpiry = connection.info.tls?.certificateExpiry
        request.onEvent?(.metrics(metrics))
        guard head.statusCode == 101 else {
            return TransportResponse(
                head: head, body: Self.body(of: response, on: connection), isContentDecoded: false)
        }
        let received = response.rest
        state.withLock { $0.upgraded = Upgraded(connection: connection, received: received) }
        return TransportResponse(head: head, body: TransportBody(Data()))
    }

    private static func head(
        of response: UpgradeResponse, on connection: any DuplexConnection, _ request: TransportRequest
    ) async throws -> HTTPResponseHead {
        while true {
            if let head = try response.head() {
                if head.statusCode >= 200 || head.statusCode == 101 { return head.withHTTPLocation }
                request.onEvent?(.informational(head))
                continue
            }
            let bytes = try await connection.receive()
            try response.receive(bytes)
        }
    }

    private static func body(of response: UpgradeResponse, on connection: any DuplexConnection) -> TransportBody {
        TransportBody(reading: {
            return {
                while true {
                    if let bytes = try response.body() { return bytes }
                    if response.isComplete { return nil }
                    let bytes = try await connection.receive()
                    try response.receive(bytes)
                }
            }
        })
    }
}

/// The response on a connection that is used for nothing else. Unchecked: used by one task at a time.
///
/// Nothing is inlined: the compiler (6.3.1) crashes when it inlines functions of `HTTP1Receiver` into an async
/// function.
private final class UpgradeResponse: @unchecked Sendable {
    private var receiver: HTTP1Receiver
    private var received = Data()
    private var position = 0

    init(to request: HTTPRequestHead) { receiver = HTTP1Receiver(request.url, request.method) }

    var isComplete: Bool {
        @inline(never)
        get { receiver.isComplete }
    }

    var rest: Data { Data(received.dropFirst(position)) }

    /// The next head, which may belong to a 1xx response; `nil` if it is not complete.
    @inline(never)
    func head() throws(AsyncNetError) -> HTTPResponseHead? {
        switch try take().event {
        case .informational(let head), .head(let head): head
        case .body, .trailers, .complete, nil: nil
        }
    }

    @inline(never)
    func body() throws(AsyncNetError) -> Data? {
        while true {
            let (event, bytes) = try take()
            if bytes != nil || event == nil { return bytes }
        }
    }

    /// - Parameter bytes: `nil` at the end of the connection.
    @inline(never)
    func receive(_ bytes: Data?) throws(AsyncNetError) {
        guard let bytes else { return try receiver.receiveEnd() }
        // An incomplete line is not copied again for each piece of it that arrives.
        if position > 0 { (received, position) = (rest, 0) }
        received.append(bytes)
    }

    private func take() throws(AsyncNetError) -> (event: HTTP1Receiver.Event?, bytes: Data?) {
        let event = try received.withBytes { bytes throws(AsyncNetError) in try receiver.next(in: bytes, &position) }
        guard case .body(let range) = event else { return (event, nil) }
        return (event, Data(received.dropFirst(range.lowerBound).prefix(range.count)))
    }
}

extension HTTPResponseHead {
    /// The head with `http` in place of `ws` in `Location`, and `https` in place of `wss`, as in the request's URL.
    fileprivate var withHTTPLocation: HTTPResponseHead {
        guard let location = value(for: "Location"), let url = WebSocketURL.httpText(of: location) else { return self }
        var headers = headers
        headers.update(HTTPHeader(name: "Location", value: url))
        return HTTPResponseHead(
            statusCode: statusCode, url: self.url, headers: headers, httpVersion: httpVersion,
            reasonPhrase: reasonPhrase)
    }
}
