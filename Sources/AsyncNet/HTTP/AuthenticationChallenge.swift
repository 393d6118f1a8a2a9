/// A challenge of a server or proxy, as in `WWW-Authenticate` and `Proxy-Authenticate` (RFC 9110 §11.6.1, §11.7.1).
struct AuthenticationChallenge: Hashable, Sendable {
    /// The authentication scheme in lower case, such as `basic`, `digest` or `bearer`.
    let scheme: String
    /// The parameters; names in lower case, values unquoted, otherwise as sent. Of repeated names the first is kept.
    var parameters: [String: String] = [:]
    /// The value that schemes such as `Negotiate` have instead of parameters (RFC 9110 §11.2).
    var token68: String?

    /// The challenges in all lines of a field, in order. What follows a malformed parameter is ignored in its line; the
    /// challenges before it are kept.
    static func challenges(in values: [String]) -> [AuthenticationChallenge] {
        values.flatMap { value in
            var scanner = AuthenticationScanner(value)
            return scanner.challenges()
        }
    }

    /// The parameters of a header without a scheme, such as `Authentication-Info` (RFC 9110 §11.6.3).
    static func parameters(_ text: String) -> [String: String] {
        var scanner = AuthenticationScanner(text)
        return scanner.parameters()
    }
}
