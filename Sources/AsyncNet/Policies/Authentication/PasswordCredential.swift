#if canImport(FoundationNetworking)
    public import FoundationNetworking
    import Foundation
#else
    public import Foundation
#endif

/// A user name and a password, for Basic and Digest authentication (RFC 7617, RFC 7616).
///
/// Set with `request.authenticate(username:password:)` or by a URL's userinfo. Sent only in response to a 401,
/// and from then on with every request to the same protection space.
public struct PasswordCredential: Hashable, Sendable {
    /// The user name; Basic authentication allows no colon in it.
    public var username: String
    /// The password.
    public var password: String

    /// Creates a credential.
    public init(username: String, password: String) {
        self.username = username
        self.password = password
    }

    /// Creates a credential from Foundation's; `nil` if that has no user name or password, such as for a certificate.
    public init?(_ credential: URLCredential) {
        guard let username = credential.user, let password = credential.password else { return nil }
        self.init(username: username, password: password)
    }

    /// Removes the userinfo from the request's URL, and returns it decoded; `nil` without userinfo.
    static func take(from request: inout TransportRequest) -> PasswordCredential? {
        var url = request.head.url
        guard url.absoluteString.utf8.contains(UInt8(ascii: "@")) else { return nil }
        defer { request.head.url = url }
        return take(from: &url)
    }

    /// Removes the userinfo from a URL, which is then safe to send and log, and returns it decoded; `nil` without one.
    static func take(from url: inout URL) -> PasswordCredential? {
        var reference = URLReference(url.absoluteString)
        guard let authority = reference.authority, let at = authority.lastIndex(of: "@") else { return nil }
        reference.authority = String(authority[authority.index(after: at)...])
        guard let bare = reference.url else { return nil }
        let parts = authority[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map {
            String($0)
        }
        url = bare
        let texts = parts.map { $0.removingPercentEncoding ?? $0 }
        guard !texts[0].isEmpty || texts.count > 1 else { return nil }
        return PasswordCredential(username: texts[0], password: texts.count > 1 ? texts[1] : "")
    }
}

extension PasswordCredential: ShownByDescription {
    /// The user name without the password.
    public var description: String { "\(username):<redacted>" }
}
