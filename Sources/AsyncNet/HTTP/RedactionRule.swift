public import Foundation

/// What is redacted in everything that AsyncNet writes about requests.
///
/// Redacted are, with ``standard``:
/// - headers: `Cookie`, `Set-Cookie`, and names that end in `Authorization`, `Token`, `Secret`, `API-Key`,
///   `Access-Key`, `Signature`, `Assertion`, `JWT`, `Auth` and the like;
/// - subprotocols of WebSockets (`Sec-WebSocket-Protocol`) that begin with such a name or with words that end in `key`
///   or `bearer`, as `openai-insecure-api-key.sk-…` does; that follow a subprotocol which is such a name; or that look
///   random: over three changes between letters and digits or from lower to upper case, or over 24 of them in a row;
/// - userinfo of URLs (`REDACTED:REDACTED@`), wherever a URL stands in a header, a query or a field;
/// - query items and fields of forms and of JSON: `access_token`, `token`, `api_key`, `password`, `secret`,
///   `client_secret`, `auth`, `session`, `sid`, `jwt`, `otp`, `pin`, `sig`, `X-Amz-Signature`, `X-Amz-Credential`,
///   `X-Amz-Security-Token`, `AWSAccessKeyId`, `Signature`, `X-Goog-Signature`, and names that end in `token`,
///   `secret`, `signature`, `credential`, `apikey` or `accesskey`, or contain `password`. Names of positions in
///   lists, such as `pageToken` and `continuation_token`, are not secret;
/// - query items and fields of forms also: `code` (RFC 6749 §4.1), `key`, `ticket`, `hmac`. In JSON, where these names
///   are common, they are not secret.
///
/// Names compare case-insensitively and without punctuation: `access_token`, `accessToken` and `Access-Token` are the
/// same name. In `user[password]` and `user.password` each part is a name.
public struct RedactionRule: Sendable {
    /// The rule without additions.
    public static let standard = RedactionRule()

    /// What is written in the place of a secret.
    package static let mark = "REDACTED"

    /// Where a name stands.
    package enum Place: Sendable {
        case header
        case queryItem
        case formField
        case jsonField
    }

    private let headers: SecretNames
    private let queryItems: SecretNames
    private let fields: SecretNames
    private let redact: (@Sendable (_ name: String, _ value: String) -> String?)?

    /// Makes a rule that redacts what ``standard`` does, and more.
    ///
    /// - Parameters:
    ///   - headers: More headers whose values are secret.
    ///   - queryNames: More items of queries and fields of forms whose values are secret.
    ///   - fields: More fields of forms and of JSON whose values are secret.
    ///   - redact: Called with the name and the decoded value of each header, query item and field whose value is text
    ///     or a number. Returns what is written in its place; with `nil` the names decide. It must not block.
    public init(
        headers: Set<String> = [], queryNames: Set<String> = [], fields: Set<String> = [],
        redact: (@Sendable (_ name: String, _ value: String) -> String?)? = nil
    ) {
        self.headers = .headers.adding(headers)
        self.queryItems = .queryItems.adding(queryNames)
        self.fields = .fields.adding(fields)
        self.redact = redact
    }

    /// What is written in the place of this value; `nil` if the value is written unchanged.
    func replacement(for name: String, in place: Place, _ value: @autoclosure () -> String) -> String? {
        if let redact, let replacement = redact(name, value()) { return replacement }
        return isSecret(name, in: place) ? Self.mark : nil
    }

    /// Whether a closure decides about values.
    var readsValues: Bool { redact != nil }

    package func isSecret(_ name: String, in place: Place) -> Bool {
        switch place {
        case .header: headers.contains(name)
        case .queryItem: queryItems.contains(name)
        case .formField: fields.contains(name) || queryItems.contains(name)
        case .jsonField: fields.contains(name)
        }
    }

    // MARK: What is written

    /// The URL's text: userinfo as `REDACTED:REDACTED@`, the values of secret query items as `REDACTED`, the rest as it
    /// is. Items of the fragment and parameters of the path, such as `;jsessionid=1`, are treated as the query's; a
    /// fragment that has no items and does not begin with `/` or `!/` is `REDACTED`, since it may be a token.
    public func text(of url: URL) -> String { text(ofURL: url.absoluteString) }

    /// The value of a header: `REDACTED` if it is secret. Of `Sec-WebSocket-Protocol`, each subprotocol that may be a
    /// credential is `REDACTED`. URLs in other values are redacted as by ``text(of:)``.
    public func value(of header: HTTPHeader) -> String {
        if let replacement = replacement(for: header.name, in: .header, header.value) { return replacement }
        if ["location", "content-location", "referer"].contains(where: { header.hasName($0) }) {
            return text(ofURL: header.value)
        }
        if header.hasName("Sec-WebSocket-Protocol") { return Self.subprotocols(header.value) }
        return text(withURLs: header.value)
    }

    /// The value of a `Cookie` header: names stay, values are `REDACTED`.
    package func cookies(_ value: String) -> String {
        value.split(separator: ";", omittingEmptySubsequences: false).map(cookie).joined(separator: ";")
    }

    /// The value of a `Set-Cookie` header: the name and the known attributes stay, other values are `REDACTED`. Cookies
    /// that are joined by commas are redacted one by one.
    package func setCookie(_ value: String) -> String {
        SetCookie.split(value).map { one in
            let parts = one.split(separator: ";", omittingEmptySubsequences: false)
            return parts.enumerated().map { $0 > 0 && isAttribute($1) ? String($1) : cookie($1) }.joined(separator: ";")
        }.joined(separator: ", ")
    }

    /// The body with secret fields redacted: fields of JSON, form fields, and parts of multipart forms, by their names.
    /// Other bodies are returned as they are.
    ///
    /// A body may be cut at any byte, and need not be valid. Except in multipart bodies, text that begins as JSON is
    /// treated as JSON whatever its type is; text without a type, `text/plain` and `application/octet-stream` that
    /// begin with a name and an equals sign are treated as forms. JSON and forms in UTF-16 and UTF-32 are redacted as a
    /// whole. A secret field whose value is an object or an array is redacted as a whole; JSON within a JSON string is
    /// redacted field by field. The values `true`, `false` and `null` are not secret. Takes time in proportion to the
    /// body's length.
    ///
    /// JSON, forms and URLs in values are read up to three levels deep. A value that is nested more deeply is redacted
    /// as a whole if it may have a secret.
    ///
    /// - Parameters:
    ///   - data: The body, without content coding (RFC 9110 §8.4).
    ///   - contentType: The value of `Content-Type`; `nil` if there is none.
    public func body(_ data: Data, contentType: String?) -> Data {
        BodyRedactor(rule: self).redacted(data, contentType: contentType)
    }

    // MARK: Cookies

    private static let attributes = [
        "expires", "max-age", "domain", "path", "secure", "httponly", "samesite", "partitioned", "priority",
    ]

    private func isAttribute(_ part: Substring) -> Bool {
        Self.attributes.contains(String(part.prefix { $0 != "=" }).trimmedHTTPSpace.lowercased())
    }

    /// `name=value` with the value redacted; text without an equals sign is a value.
    private func cookie(_ pair: Substring) -> String {
        let space = pair.prefix { $0 == " " }
        guard let equals = pair.firstIndex(of: "=") else {
            return String(pair).trimmedHTTPSpace.isEmpty ? String(pair) : "\(space)\(Self.mark)"
        }
        return "\(pair[...equals])\(Self.mark)"
    }
}
