#if canImport(FoundationNetworking)
    public import FoundationNetworking
    import Foundation
#else
    public import Foundation
#endif

extension URLRequest {
    /// This request as a `curl` command for a POSIX shell.
    ///
    /// - Parameter showsSecrets: Shows userinfo, query, secret headers, and secret fields of the body by
    ///   ``RedactionRule/standard``, which are redacted otherwise.
    /// - Returns: The command; for a request without a URL, a shell comment that says so.
    public func curlDescription(showsSecrets: Bool = false) -> String {
        guard let head = HTTPRequestHead(self) else { return "# The URLRequest has no URL" }
        let request = TransportRequest(head: head, body: httpBody.map { .data($0) } ?? .none)
        return CurlDescription(showsSecrets: showsSecrets).text(request)
    }
}
