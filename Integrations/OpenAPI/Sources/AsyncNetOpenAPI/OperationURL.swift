import AsyncNet
import Foundation

/// The URL of an operation: the server's URL with the operation's path and query.
struct OperationURL: URLConvertible {
    private let text: String

    /// - Throws: `.malformedURL` if the path does not begin with a slash.
    init(path: String?, of server: URL) throws(AsyncNetError) {
        guard let path, path.hasPrefix("/") else {
            throw AsyncNetError(.malformedURL, "The operation's path does not begin with a slash")
        }
        text = Self.base(server) + path
    }

    func asURL() throws -> URL { try text.asURL() }

    /// The server's URL without query, fragment and the slashes at its end.
    private static func base(_ server: URL) -> String {
        let text = server.absoluteString.prefix { $0 != "?" && $0 != "#" }
        return String(text.reversed().drop { $0 == "/" }.reversed())
    }
}
