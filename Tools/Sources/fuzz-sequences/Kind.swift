/// What a hostile server does to a request.
enum Kind: String, CaseIterable, Sendable {
    /// Status lines and headers.
    case heads
    /// A first header line that continues the line before it, of which there is none.
    case folded
    case chunked, trailers, redirects, informational
    /// Connections that stay open, with bytes that belong to no response.
    case neighbours
    case challenges, codings, cookies, events, ranges
    /// Frames by prior knowledge.
    case http2
    /// A server that mutates its own side of the handshake.
    case handshakes
    /// All of HTTP/1.1's and HTTP/2's kinds behind TLS that is in order.
    case https
    /// TLS that is in order, through a proxy that changes bytes.
    case flips
    /// A proxy's responses to CONNECT, to plain requests, and to SOCKS.
    case tunnels, proxied, socks

    /// What the plain server of HTTP/1.1 does; all on one origin.
    static let plain: [Kind] = [
        .heads, .folded, .chunked, .trailers, .redirects, .informational, .neighbours, .challenges, .codings,
        .cookies, .events, .ranges,
    ]

    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

    var needsTLS: Bool { self == .https || self == .flips }

    /// Relative to the others, how often.
    var weight: Int {
        switch self {
        case .http2: 30
        case .heads, .https, .tunnels: 12
        case .flips, .handshakes: 6
        default: 8
        }
    }
}
