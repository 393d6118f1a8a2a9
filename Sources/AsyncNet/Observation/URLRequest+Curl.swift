#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif

extension URLRequest {
    /// This request as a `curl` command for a POSIX shell.
    ///
    /// - Parameters:
    ///   - showsSecrets: Whether userinfo, query, secret headers and secret fields of the body are shown unredacted.
    ///   - redaction: What is redacted in headers and the body, as in a `RequestLog`; the query is redacted as a whole.
    /// - Returns: The command; for a request without a URL, a shell comment that says so.
    public func curlDescription(showsSecrets: Bool = false, redaction: RedactionRule = .standard) -> String {
        guard let head = HTTPRequestHead(self) else { return "# The URLRequest has no URL" }
        let request = TransportRequest(head: head, body: httpBody.map { .data($0) } ?? .none)
        return CurlDescription(redaction: showsSecrets ? nil : redaction).text(request)
    }
}
