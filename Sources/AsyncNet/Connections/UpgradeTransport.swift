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
        (self.connections, self.protocols, self.compression) = (connections, protocols, compression)
    }

    var transportDescription: String { connections.transportDescription }

    /// The headers of the first handshake, which adapters see. Those that follow have a key of their own, as each connection
    /// must have.
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
        let connection = try await connections.connection(to: DuplexRequest(upgrading: request.head.url))
        if request.interests != nil { request.onEvent?(.connected(connection.info)) }
        let bytes = request.head.upgradeBytes
        try connection.send(bytes)
        if request.isHeadObserved { request.onEvent?(.sentHead(bytes.withUnsafeBytes { SentHead($0) })) }
        var reader = HTTP1ResponseReader(request.head)
        let head = try await Self.head(of: connection, &reader, request)
        var metrics = TransportMetrics(httpVersion: head.httpVersion, isConnectionReused: false)
        metrics.certificates = connection.info.certificates
        request.onEvent?(.metrics(metrics))
        guard head.statusCode == 101 else { return Self.refusal(head, connection, reader) }
        let received = reader.rest
        state.withLock { $0.upgraded = Upgraded(connection: connection, received: received) }
        return TransportResponse(head: head, body: TransportBody(Data()))
    }

    /// The final response's head.
    private static func head(
        of connection: any DuplexConnection, _ reader: inout HTTP1ResponseReader, _ request: TransportRequest
    ) async throws -> HTTPResponseHead {
        while true {
            if let head = try reader.head() {
                if head.statusCode >= 200 || head.statusCode == 101 { return head.withHTTPLocation }
                request.onEvent?(.informational(head))
                continue
            }
            guard let bytes = try await connection.receive() else {
                throw AsyncNetError(reader.rest.isEmpty ? .emptyReply : .connectionLost)
            }
            reader.receive(bytes)
        }
    }

    /// The response of a server that does not switch the protocol, with its body.
    private static func refusal(
        _ head: HTTPResponseHead, _ connection: any DuplexConnection, _ reader: HTTP1ResponseReader
    ) -> TransportResponse {
        let body = TransportBody(RefusalBody(connection: connection, reader: reader))
        return TransportResponse(head: head, body: body, isContentDecoded: false)
    }
}

/// The body of a response on a connection that is used for nothing else. Releasing it closes the connection.
private struct RefusalBody: AsyncSequence, Sendable {
    typealias Element = Data

    let connection: any DuplexConnection
    let reader: HTTP1ResponseReader

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(connection, Progress(reader)) }

    /// An object with functions that are not inlined: the compiler (6.3.1) crashes when it optimizes the reader's into the
    /// iterator's async function.
    final class Progress {
        private var reader: HTTP1ResponseReader

        init(_ reader: HTTP1ResponseReader) { self.reader = reader }

        var isComplete: Bool {
            @inline(never)
            get { reader.isComplete }
        }

        @inline(never)
        func body() throws(AsyncNetError) -> Data? { try reader.body() }

        /// - Parameter bytes: `nil` at the end of the connection.
        @inline(never)
        func receive(_ bytes: Data?) throws(AsyncNetError) {
            if let bytes { reader.receive(bytes) } else { try reader.endOfInput() }
        }
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        private let connection: any DuplexConnection
        private let progress: Progress

        init(_ connection: any DuplexConnection, _ progress: Progress) {
            (self.connection, self.progress) = (connection, progress)
        }

        func next() async throws -> Data? {
            while true {
                if let bytes = try progress.body() { return bytes }
                if progress.isComplete { return nil }
                try progress.receive(try await connection.receive())
            }
        }
    }
}

extension DuplexRequest {
    /// The connection to the origin of a URL.
    fileprivate init(upgrading url: URL) {
        let isTLS = url.scheme?.lowercased() == "https"
        let host = url.host(percentEncoded: false) ?? ""
        self.init(
            host: host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host,
            port: url.port ?? (isTLS ? 443 : 80),
            security: isTLS ? .transport : .none, isHTTP: true)
    }
}

extension HTTPRequestHead {
    /// The head on the wire (RFC 9112 §3).
    fileprivate var upgradeBytes: Data {
        let reference = URLReference(urlText)
        let path = reference.path.isEmpty ? "/" : reference.path
        var text = "\(method.rawValue) \(path)\(reference.query.map { "?\($0)" } ?? "") HTTP/1.1\r\n"
        if !headers.contains(name: "Host") { text += "Host: \(hostAndPort(reference))\r\n" }
        for header in headers where !header.isOmission { text += "\(header.name): \(header.value)\r\n" }
        return Data((text + "\r\n").utf8)
    }

    private func hostAndPort(_ reference: URLReference) -> String {
        let authority = reference.authority ?? url.host ?? ""
        return (authority.split(separator: "@", omittingEmptySubsequences: false).last ?? authority[...]).withoutZone
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
