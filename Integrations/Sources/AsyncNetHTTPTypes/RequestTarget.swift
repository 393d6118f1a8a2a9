import AsyncNet
import Foundation
import HTTPTypes

/// The parts of a request's URL. They are checked before they are joined, as the joined text could have other parts.
struct RequestTarget {
    let scheme: String
    let authority: String
    let path: String

    init(_ request: HTTPRequest) throws(AsyncNetError) {
        guard let scheme = request.scheme, let authority = request.authority, let path = request.path else {
            throw AsyncNetError(.malformedURL, "The request has no :scheme, :authority or :path")
        }
        (self.scheme, self.authority, self.path) = (scheme, authority, path)
        guard Self.isScheme(scheme) else { throw AsyncNetError(.malformedURL, "The request's :scheme is invalid") }
        guard Self.isAuthority(authority) else {
            throw AsyncNetError(.malformedURL, "The request's :authority is not a host with an optional port")
        }
        guard Self.isPath(path) else {
            throw AsyncNetError(.malformedURL, "The request's :path is not a path with an optional query")
        }
    }

    var url: URL {
        get throws(AsyncNetError) {
            guard let url = try? "\(scheme)://\(authority)\(path)".asURL(), url.host?.isEmpty == false else {
                throw AsyncNetError(.malformedURL, "The request's :authority is not a host with an optional port")
            }
            return url
        }
    }

    /// RFC 3986 §3.1.
    static func isScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetter($0) || 0x30...0x39 ~= $0 || "+-.".utf8.contains($0) }
    }

    /// Host and port without userinfo (RFC 9113 §8.3.1).
    static func isAuthority(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { isVisible($0) && !"/?#@\\".utf8.contains($0) }
    }

    /// A path that begins with a slash, and an optional query.
    static func isPath(_ text: String) -> Bool {
        text.hasPrefix("/") && text.utf8.allSatisfy { isVisible($0) && $0 != UInt8(ascii: "#") }
    }

    private static func isVisible(_ byte: UInt8) -> Bool { 0x21...0x7E ~= byte }
    private static func isLetter(_ byte: UInt8) -> Bool { 0x61...0x7A ~= byte | 0x20 }
}
