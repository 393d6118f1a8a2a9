/// How a transport makes sure that a response comes from the server that its URL names, and by which way it comes.
///
/// ``HTTPCache`` stores it with each response, and uses a response only for a request whose transport demands the same
/// or less: what a session without verification has stored is not used by a session that verifies.
public struct ResponseTrust: Sendable, Hashable, Codable {
    /// What verifies the server's certificate, such as `system`; empty if it is not verified.
    var verification = ""
    /// Further demands on the server, such as pins; empty without any. Requests without demands use every response.
    var demands = ""
    /// The user of the connection, by its client certificate; empty without one.
    var client = ""
    /// The way to the server, such as a proxy; empty for a direct one. Compared only if the server is not verified.
    var route = ""

    /// The server is verified by its certificate (RFC 9110 §4.3.4). The text says by what: `system` for the system's
    /// authorities. Only equal texts are the same.
    public static func verified(by verification: String = "system") -> ResponseTrust {
        ResponseTrust(verification: verification)
    }

    /// The server is not verified, or the request has no TLS. The route is a text for the way to the server, such as
    /// the proxy's name, empty for a direct connection. Only equal texts are the same.
    public static func unverified(route: String) -> ResponseTrust { ResponseTrust(route: route) }

    /// The trust of a transport that refuses the host or cannot be used: no stored response is used for its requests.
    package static let nothing = ResponseTrust(client: "nobody")

    /// Whether a response that came with this trust may be used for a request whose transport demands `other`.
    func serves(_ other: ResponseTrust) -> Bool {
        guard self != .nothing, client == other.client, other.demands.isEmpty || demands == other.demands else {
            return false
        }
        if other.verification.isEmpty { return !verification.isEmpty || route == other.route }
        return verification == other.verification
    }
}
