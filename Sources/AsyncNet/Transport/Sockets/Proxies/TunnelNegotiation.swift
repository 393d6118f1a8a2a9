import Foundation

/// Asks an HTTP proxy for a tunnel (CONNECT, RFC 9110 §9.3.6), and asks again after a challenge for which there are
/// credentials: on the same connection if the proxy keeps it.
///
///     head → done | refused | challenge → the rest of its response → head …
struct TunnelNegotiation: ProxyNegotiation {
    private let target: String
    private let url: URL
    private let proxy: ProxyServer
    private let authorizations: ProxyAuthorizations
    private let limits: HTTP1Limits
    private var receiver: HTTP1Receiver
    private var input: [UInt8] = []
    private var answers = 0
    /// Whether the last head was a challenge; its response is then read to the end.
    private var isChallenged = false
    private var dropped = 0
    static let mostDropped = 64 * 1024

    init(
        to endpoint: ServerEndpoint, _ proxy: ProxyServer, _ authorizations: ProxyAuthorizations, _ limits: HTTP1Limits
    ) {
        (target, url) = (endpoint.authorityWithPort, Self.url(endpoint))
        self.proxy = proxy
        self.authorizations = authorizations
        self.limits = limits
        receiver = HTTP1Receiver(url, .connect, limits, isOfProxy: true)
    }

    private static func url(_ endpoint: ServerEndpoint) -> URL {
        let text = "\(endpoint.isTLS ? "https" : "http")://\(endpoint.authority)/"
        return URL(string: text) ?? URL(fileURLWithPath: "/")
    }

    mutating func begin() -> [UInt8] {
        receiver = HTTP1Receiver(url, .connect, limits, isOfProxy: true)
        input = []
        isChallenged = false
        dropped = 0
        var lines = ["CONNECT \(target) HTTP/1.1", "Host: \(target)"]
        if let value = authorizations.header(for: proxy, .connect, uri: target) {
            lines.append("Proxy-Authorization: \(value)")
        }
        lines += proxy.headers.map { "\($0.name): \($0.value)" }
        // Proxies of HTTP/1.0 keep the connection after their challenge only if this header asks for it.
        lines.append("Proxy-Connection: Keep-Alive")
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// One byte at a time in a head, since the server's bytes may follow the head.
    var wanted: Int { isChallenged ? 4096 : 1 }

    mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(AsyncNetError) -> ProxyStep {
        input.append(contentsOf: bytes)
        guard isChallenged || input.last == 0x0A || input.count > limits.headBytes else { return .wait }
        var position = 0
        defer { input.removeFirst(position) }
        return try take(&position)
    }

    private mutating func take(_ position: inout Int) throws(AsyncNetError) -> ProxyStep {
        while let event = try next(&position) {
            switch event {
            case .informational, .trailers: break
            case .head(let head):
                if try receive(head) { return .done }
                // The proxy closes the connection, perhaps late, and only its close may end the response.
                if isChallenged, !receiver.keepsConnection { return .reconnect }
            case .body(let range):
                dropped += range.count
                if dropped > Self.mostDropped { return .reconnect }
            case .complete:
                guard receiver.allowsReuse, position == input.count else { return .reconnect }
                position = 0
                return .send(begin())
            }
        }
        return .wait
    }

    private mutating func next(_ position: inout Int) throws(AsyncNetError) -> HTTP1Receiver.Event? {
        do throws(AsyncNetError) {
            return try input.withBytes { bytes throws(AsyncNetError) in try receiver.next(in: bytes, &position) }
        } catch {
            throw AsyncNetError(.proxyFailed, "The proxy's response to CONNECT is invalid (\(error.message))")
        }
    }

    /// - Returns: Whether the tunnel is open; otherwise the head is a challenge, after which CONNECT is sent again.
    private mutating func receive(_ head: HTTPResponseHead) throws(AsyncNetError) -> Bool {
        if 200..<300 ~= head.statusCode { return true }
        guard authorizations.receive(head, from: proxy, answers: answers) else { throw Self.refusal(head) }
        answers += 1
        isChallenged = true
        return false
    }

    mutating func receiveEnd() throws(AsyncNetError) -> ProxyStep {
        if isChallenged { return .reconnect }
        throw AsyncNetError(.proxyFailed, "The proxy closed the connection before it had answered CONNECT")
    }

    private static func refusal(_ head: HTTPResponseHead) -> AsyncNetError {
        let error = AsyncNetError(
            .proxyFailed,
            "\(AsyncNetError.Code.proxyFailed.summary) (its response to CONNECT has status \(head.statusCode))")
        guard head.statusCode >= 400 else { return error }
        return error.with(proxy: .init(statusCode: head.statusCode) { head.urlResponse })
    }
}
