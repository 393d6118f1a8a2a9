import Foundation

/// The URL of a WebSocket (RFC 6455 §3), as the handshake's request needs it.
struct WebSocketURL: URLWrapper {
    let url: any URLConvertible

    /// `http` in place of `ws`, and `https` in place of `wss`; other URLs as they are, relative ones included.
    func asURL() throws -> URL {
        let given = try url.asURL()
        guard let text = Self.httpText(of: given.absoluteString) else { return given }
        return try text.asURL()
    }

    /// The URL without secrets. A URL with a scheme and no host is not shown: it may be `user:password@host`.
    var redactedText: String {
        guard let url = try? url.asURL() else { return "no URL" }
        guard url.host != nil || url.scheme == nil else { return "a URL without a host" }
        return URLReference(url.absoluteString).redactedText()
    }

    static func httpText(of text: String) -> String? {
        let scheme = text.prefix { $0 != ":" }
        switch scheme.lowercased() {
        case "ws" where text.contains(":"): return "http" + text.dropFirst(scheme.count)
        case "wss" where text.contains(":"): return "https" + text.dropFirst(scheme.count)
        default: return nil
        }
    }
}
