package import Foundation

/// A name and a password, for servers that ask for them.
///
/// Given with `await request.authenticate(username:password:)` or in a URL's user information. Nothing is sent before
/// the server has asked, once for each protection space; from then on at once.
public struct Credential: Hashable, Sendable {
    public var username: String
    public var password: String

    public init(username: String, password: String) {
        self.username = username
        self.password = password
    }

    /// Takes the user information out of a URL, percent-encoding undone; what is left has none, so that nothing
    /// downstream sends or shows it.
    package static func take(from url: inout URL) -> Credential? {
        let text = url.absoluteString
        guard text.utf8.contains(UInt8(ascii: "@")) else { return nil }
        var reference = URLReference(text)
        guard let authority = reference.authority, let at = authority.lastIndex(of: "@") else { return nil }
        reference.authority = String(authority[authority.index(after: at)...])
        guard let bare = reference.url else { return nil }
        let parts = authority[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map {
            String($0)
        }
        url = bare
        let texts = parts.map { $0.removingPercentEncoding ?? $0 }
        guard !texts[0].isEmpty || texts.count > 1 else { return nil }
        return Credential(username: texts[0], password: texts.count > 1 ? texts[1] : "")
    }
}

extension Credential: CustomStringConvertible, CustomReflectable {
    /// Without the password.
    public var description: String { "\(username):<redacted>" }
    /// What `dump` shows: the description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
