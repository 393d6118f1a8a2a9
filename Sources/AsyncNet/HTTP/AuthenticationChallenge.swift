/// One way to authenticate that a server offers, as in `WWW-Authenticate` and `Proxy-Authenticate` (RFC 9110 §11.6.1,
/// §11.7.1).
public struct AuthenticationChallenge: Hashable, Sendable {
    /// In lower case, such as `basic`, `digest` or `bearer`.
    public let scheme: String
    /// Names in lower case; values unquoted, otherwise as they were sent. Of several of one name the first counts.
    public let parameters: [String: String]
    /// What schemes such as `Negotiate` have in place of parameters.
    public let token68: String?

    public init(scheme: String, parameters: [String: String] = [:], token68: String? = nil) {
        self.scheme = scheme.lowercased()
        self.parameters = Dictionary(parameters.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
        self.token68 = token68
    }

    /// What the credentials are for, in the server's words; most schemes have it.
    public var realm: String? { parameters["realm"] }

    /// The challenges of all headers of one name, in their order.
    ///
    /// Where a value is malformed its rest is dropped; what was read before stays, a challenge that breaks off too,
    /// with the parameters it had until then. The next value is read all the same.
    package static func challenges(in values: [String]) -> [AuthenticationChallenge] {
        values.flatMap { value in
            var scanner = AuthenticationScanner(value)
            return scanner.challenges()
        }
    }

    /// The parameters of a header that has no scheme, such as `Authentication-Info` (RFC 9110 §11.6.3).
    package static func parameters(_ text: String) -> [String: String] {
        var scanner = AuthenticationScanner(text)
        return scanner.parameters()
    }
}
