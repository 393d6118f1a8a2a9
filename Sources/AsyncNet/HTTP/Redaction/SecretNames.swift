/// Names of headers, query items and fields whose values are secret.
///
/// Case and punctuation do not count: `access_token`, `accessToken` and `Access-Token` are the same name. Of a nested
/// name, such as `user[password]` or `user.password`, each part counts.
struct SecretNames: Sendable {
    private let names: Set<String>
    /// Endings of secret names, in addition to those that are secret everywhere.
    private let moreEndings: [String]

    init(_ names: some Sequence<String>, endings: [String] = []) {
        (self.names, moreEndings) = (Set(names.map(Self.folded)), endings)
    }

    func adding(_ others: Set<String>) -> SecretNames { SecretNames(names.union(others), endings: moreEndings) }

    func contains(_ name: some StringProtocol) -> Bool {
        if contains(whole: name) { return true }
        guard name.unicodeScalars.contains(where: Self.joins) else { return false }
        return name.unicodeScalars.split(whereSeparator: Self.joins).contains { part in
            isSecret(Self.folded(String(String.UnicodeScalarView(part))))
        }
    }

    /// Whether the name as a whole is secret, without regard to its parts.
    func contains(whole name: some StringProtocol) -> Bool { isSecret(Self.folded(name)) }

    /// A bracket or a dot.
    private static func joins(_ scalar: Unicode.Scalar) -> Bool { scalar == "[" || scalar == "]" || scalar == "." }

    /// The name in lower case, without ASCII punctuation.
    private static func folded(_ name: some StringProtocol) -> String {
        String(name.lowercased().unicodeScalars.filter { !$0.isASCII || HTTPSyntax.isAlphanumeric(UInt8($0.value)) })
    }

    private func isSecret(_ folded: String) -> Bool {
        if names.contains(folded) || Self.middles.contains(where: { folded.contains($0) }) { return true }
        guard (Self.endings + moreEndings).contains(where: { folded.hasSuffix($0) }) else { return false }
        return !Self.harmlessEndings.contains { folded.hasSuffix($0) }
    }

    private static let middles = ["password", "passwd", "passphrase"]
    private static let endings = [
        "token", "secret", "apikey", "accesskey", "accesskeyid", "secretkey", "privatekey", "signature",
        "subscriptionkey", "sessionid", "credential",
    ]
    /// Endings of names of positions in lists, such as `pageToken`, which are not secret.
    private static let harmlessEndings = ["pagetoken", "nexttoken", "continuationtoken", "synctoken", "cursortoken"]

    static let headers = SecretNames(
        [
            "Cookie", "Cookie2", "Set-Cookie", "Set-Cookie2", "X-Functions-Key", "X-Amz-Credential", "X-Auth-Key",
            "X-Auth-Email-Key", "X-Master-Key", "X-Amzn-Oidc-Data",
        ], endings: ["authorization", "assertion", "jwt", "auth", "otp"])

    /// Names in subprotocols of WebSockets, such as `openai-insecure-api-key`.
    static let subprotocols = SecretNames(
        ["key", "basic", "ticket"], endings: headers.moreEndings + ["bearer", "credentials"])

    /// Names in JSON. `code` and `key` are not among them, which are error codes and ordinary keys there.
    static let fields = SecretNames([
        "sig", "pwd", "pass", "passcode", "tokens", "jwt", "auth", "authorization", "proxyAuthorization", "credentials",
        "assertion", "clientAssertion", "samlResponse", "cookie", "cookies", "setCookie", "session", "sid",
        "phpSessID", "codeVerifier", "deviceCode", "userCode", "otp", "totp", "pin", "cvv", "cvc", "cardNumber",
    ])

    /// Names in queries and forms, where `code` is OAuth's (RFC 6749 §4.1) and `key` a service's.
    static let queryItems = SecretNames(fields.names.union(["code", "key", "ticket", "hmac"]))
}
