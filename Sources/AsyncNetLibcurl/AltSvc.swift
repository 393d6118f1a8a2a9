import AsyncNet

/// A parsed `Alt-Svc` field: the alternative services of an origin (RFC 7838 §3).
enum AltSvc: Equatable {
    /// The origin invalidates all its alternatives.
    case clear
    /// The alternatives, in the server's order of preference; they replace all earlier ones.
    case services([Service])

    /// One alternative.
    struct Service: Equatable {
        /// The protocol by its ALPN name, such as `h3`.
        let protocolID: String
        /// The host, an IPv6 address in brackets; empty for the origin's own.
        let host: String
        let port: Int
        /// How many seconds the alternative is fresh, counted from when the response was made.
        let maximumAge: Int64
    }

    /// The lifetime without the parameter `ma`, 24 hours.
    static let defaultAge: Int64 = 86_400
    /// The longest lifetime that is kept, a year.
    private static let longestAge: Int64 = 365 * 86_400

    /// - Parameter values: The values of the field's lines.
    init(_ values: [String]) {
        if values.contains(where: { $0.trimmedHTTPSpace == "clear" }) {
            self = .clear
        } else {
            self = .services(values.flatMap { Self.services(in: $0) })
        }
    }

    /// The alternatives before the first malformed one.
    private static func services(in value: String) -> [Service] {
        var scanner = AltSvcScanner(value)
        return Array(sequence(state: ()) { _ in scanner.next() }.prefix(mostServices))
    }

    /// How many alternatives of a line are read at most.
    private static let mostServices = 20

    /// A number of seconds, at most the longest lifetime; `nil` for a text that is no number.
    static func seconds(_ text: String) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        return text.utf8.reduce(0) { min($0 * 10 + Int64($1 &- 0x30), longestAge) }
    }
}

/// Reads the alternatives of one line: `h3=":443"; ma=3600, h2="other.example:8443"`.
private struct AltSvcScanner: ByteScanner {
    var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    /// `nil` at the end and at text that is no alternative.
    mutating func next() -> AltSvc.Service? {
        skip { $0 == UInt8(ascii: ",") || $0 == 0x20 || $0 == 0x09 }
        guard let name = token(), take("="), let authority = strictQuotedString(),
            let (host, port) = Self.parts(authority)
        else { return nil }
        guard let age = age() else { return nil }
        return AltSvc.Service(protocolID: name, host: host, port: port, maximumAge: age)
    }

    /// Reads the parameters up to the next alternative; `nil` if one is malformed.
    private mutating func age() -> Int64? {
        var age = AltSvc.defaultAge
        skipSpaces()
        while take(";") {
            skipSpaces()
            guard let name = token(), take("="), let value = strictQuotedString() ?? token() else { return nil }
            if name.lowercased() == "ma" { age = AltSvc.seconds(value) ?? age }
            skipSpaces()
        }
        return rest.isEmpty || rest.first == UInt8(ascii: ",") ? age : nil
    }

    /// The host, which may be empty, and a port from 1 to 65535.
    private static func parts(_ authority: String) -> (String, Int)? {
        guard let colon = authority.utf8.lastIndex(of: 0x3A) else { return nil }
        let digits = authority[authority.utf8.index(after: colon)...]
        guard digits.utf8.allSatisfy({ $0 &- 0x30 < 10 }), let port = UInt16(digits), port > 0 else { return nil }
        return (String(authority[..<colon]), Int(port))
    }
}
