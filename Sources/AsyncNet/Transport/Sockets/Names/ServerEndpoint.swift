import Foundation

/// The server that a request's URL leads to.
struct ServerEndpoint: Hashable, Sendable {
    let isTLS: Bool
    /// A name in lower case, or an address without brackets; an IPv6 address may have a zone after `%` (RFC 4007 §11).
    let host: String
    let port: UInt16

    /// - Parameter url: An absolute URL with the scheme http or https.
    /// - Returns: The endpoint, and the request target in origin form.
    static func parse(_ url: String) throws(AsyncNetError) -> (endpoint: ServerEndpoint, target: String) {
        var url = url
        // By bytes: each Substring would retain the String, which all requests to this URL share.
        return try url.withUTF8 { bytes in Result { () throws(AsyncNetError) in try parse(bytes) } }.get()
    }

    private static func parse(
        _ bytes: UnsafeBufferPointer<UInt8>
    ) throws(AsyncNetError) -> (endpoint: ServerEndpoint, target: String) {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { throw malformed }
        let scheme = bytes[..<colon]
        let isTLS = scheme.elementsEqual("https".utf8) { $0.asciiLowercased == $1 }
        guard isTLS || scheme.elementsEqual("http".utf8, by: { $0.asciiLowercased == $1 }) else {
            throw AsyncNetError(.unsupportedScheme, "The URL's scheme is neither http nor https")
        }
        guard bytes[(colon + 1)...].starts(with: "//".utf8) else { throw malformed }
        let start = colon + 3
        let end = bytes[start...].firstIndex(where: Self.endsAuthority) ?? bytes.endIndex
        let userinfo = bytes[start..<end].lastIndex(of: UInt8(ascii: "@"))
        let authority = String(decoding: bytes[(userinfo.map { $0 + 1 } ?? start)..<end], as: UTF8.self)
        let (host, port) = try split(authority[...])
        let number = try self.port(port) ?? (isTLS ? 443 : 80)
        return (ServerEndpoint(isTLS: isTLS, host: host.lowercased(), port: number), target(bytes[end...]))
    }

    /// The value of `Host`: host and, unless it is the scheme's default, port; without a zone, which only this machine
    /// knows (RFC 6874 §4).
    var authority: String { port == (isTLS ? 443 : 80) ? name : authorityWithPort }

    /// Host and port, in the form of a CONNECT to a proxy (RFC 9112 §3.2.3).
    var authorityWithPort: String { "\(name):\(port)" }

    /// Whether the host is this machine, whatever a name server says (RFC 6761 §6.3).
    var isLocal: Bool {
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        return name == "localhost" || name.hasSuffix(".localhost")
    }

    private var name: String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host.prefix { $0 != "%" })]" : host
    }

    /// The parts of an authority without user and password; the port with its colon.
    static func split(_ authority: Substring) throws(AsyncNetError) -> (host: String, port: Substring) {
        guard authority.utf8.first == UInt8(ascii: "[") else {
            let end = authority.utf8.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
            guard let name = withoutPercentEncoding(authority[..<end]), !name.isEmpty, name.utf8.allSatisfy(isNameByte)
            else { throw malformed }
            return (name, authority[end...])
        }
        guard let bracket = authority.firstIndex(of: "]") else { throw malformed }
        let inner = String(Substring(authority[..<bracket].utf8.dropFirst()))
        guard inner.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { throw malformed }
        return (inner.removingPercentEncoding ?? inner, authority[bracket...].dropFirst())
    }

    private static func withoutPercentEncoding(_ text: Substring) -> String? {
        text.utf8.contains(UInt8(ascii: "%")) ? text.removingPercentEncoding : String(text)
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    /// Whether a name may have this byte: it must not separate the parts of a URL or of a head.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        HTTPSyntax.isAlphanumeric(byte) || byte == UInt8(ascii: ".")
            || byte > 0x20 && byte != 0x7F && !"/?#@[]:\\%".utf8.contains(byte)
    }

    static func port(_ text: Substring) throws(AsyncNetError) -> UInt16? {
        guard text.utf8.first == UInt8(ascii: ":") else {
            if text.isEmpty { return nil }
            throw malformed
        }
        if text.utf8.count == 1 { return nil }
        guard let port = UInt16(Substring(text.utf8.dropFirst())), port > 0 else { throw malformed }
        return port
    }

    /// Path and query; `/` for an empty path (RFC 9112 §3.2.1).
    private static func target(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        let target = String(decoding: bytes.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self)
        return bytes.first == UInt8(ascii: "/") ? target : "/" + target
    }

    private static var malformed: AsyncNetError { AsyncNetError(.malformedURL, "The URL has no valid host and port") }
}
