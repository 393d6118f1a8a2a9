import AsyncNet
import Crypto
import Foundation

/// Adds a signature of Version 4 to a head, in its headers or in its query.
struct Signing: Sendable {
    let credentials: AWSCredentials
    let scope: SigningScope
    let rules: SigningRules

    static let unsignedPayload = "UNSIGNED-PAYLOAD"

    init(credentials: AWSCredentials, scope: SigningScope, rules: SigningRules? = nil) {
        self.credentials = credentials
        self.scope = scope
        self.rules = rules ?? SigningRules(service: scope.service)
    }

    /// - Parameter payload: The hash of the body in hexadecimal, or what stands for it.
    func sign(_ head: inout HTTPRequestHead, payload: String) throws(AsyncNetError) {
        head.headers.update(name: "X-Amz-Date", value: scope.timestamp)
        head.headers["X-Amz-Security-Token"] = credentials.sessionToken
        if rules.namesPayload || payload == Self.unsignedPayload {
            head.headers.update(name: "X-Amz-Content-SHA256", value: payload)
        }
        let target = try RequestTarget(head)
        let request = CanonicalRequest(
            method: head.method, target: target, headers: Self.signed(head.headers, target), payload: payload,
            rules: rules)
        let signature = scope.signature(of: request, secret: credentials.secretAccessKey)
        head.headers.update(
            .authorization(
                "AWS4-HMAC-SHA256 Credential=\(credentials.accessKeyID)/\(scope.text), "
                    + "SignedHeaders=\(request.signedHeaders), Signature=\(signature)"))
    }

    /// The head's URL with the signature in its query.
    func presigned(_ head: HTTPRequestHead, seconds: Int64) throws(AsyncNetError) -> URL {
        let headers = Self.signed(head.headers, try RequestTarget(head))
        let names = Set(headers.map { $0.name.lowercased() }).sorted().joined(separator: ";")
        var items = [
            ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"), ("X-Amz-Credential", "\(credentials.accessKeyID)/\(scope.text)"),
            ("X-Amz-Date", scope.timestamp), ("X-Amz-Expires", "\(seconds)"), ("X-Amz-SignedHeaders", names),
        ]
        if let token = credentials.sessionToken { items.append(("X-Amz-Security-Token", token)) }
        var unsigned = head
        unsigned.url = try Self.url(head.url, adding: items)
        let request = CanonicalRequest(
            method: head.method, target: try RequestTarget(unsigned), headers: headers,
            payload: rules.namesPayload ? Self.unsignedPayload : SHA256.hash(data: Data()).hexadecimal, rules: rules)
        let signature = scope.signature(of: request, secret: credentials.secretAccessKey)
        return try Self.url(unsigned.url, adding: [("X-Amz-Signature", signature)])
    }

    private static func url(_ url: URL, adding items: [(name: String, value: String)]) throws(AsyncNetError) -> URL {
        let text = items.map { "\($0.name)=\(PercentCoding.encode($0.value.utf8))" }.joined(separator: "&")
        var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        let query = parts?.percentEncodedQuery ?? ""
        parts?.percentEncodedQuery = query.isEmpty ? text : "\(query)&\(text)"
        guard let url = parts?.url else { throw AsyncNetError(.malformedURL, "The URL to sign is malformed") }
        return url
    }

    // MARK: Headers

    /// The headers to sign: those that stay as they are until the server reads them, and `Host`.
    private static func signed(_ headers: HTTPHeaders, _ target: RequestTarget) -> HTTPHeaders {
        var signed = HTTPHeaders(
            headers.filter { $0 != .omitting($0.name) && !unsigned.contains($0.name.lowercased()) })
        signed.update(name: "Host", value: target.authority)
        return signed
    }

    /// What AsyncNet, a transport or a proxy sets or changes after the signer.
    private static let unsigned: Set = [
        "accept-encoding", "authorization", "baggage", "connection", "content-length", "cookie", "expect", "keep-alive",
        "proxy-authenticate", "proxy-authorization", "te", "traceparent", "tracestate", "trailer", "transfer-encoding",
        "upgrade", "user-agent", "x-amzn-trace-id",
    ]
}
