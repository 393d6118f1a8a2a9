public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// What can be turned into the URL of a request: `String`, `URL`, `URLComponents`.
///
/// Conversion happens when the request starts; an error it throws arrives at the awaited outcome as `.malformedURL`.
public protocol URLConvertible: Sendable {
    /// The URL; it may be relative if the session has a base URL. The empty text is that base URL itself.
    func asURL() throws -> URL
}

/// What can be turned into a request: `URLRequest` and routers of one's own.
///
///     enum Router: URLRequestConvertible {
///         case user(Int)
///
///         func asURLRequest() throws -> URLRequest {
///             switch self {
///             case .user(let id): URLRequest(url: URL(string: "https://api.example.com/users/\(id)")!)
///             }
///         }
///     }
///
/// Conversion happens when the request starts, off every actor, and must not block its thread; an error it throws
/// arrives at the awaited outcome as `.encodingFailed`.
public protocol URLRequestConvertible: Sendable {
    func asURLRequest() throws -> URLRequest
}

extension URLRequest: URLRequestConvertible {
    public func asURLRequest() throws -> URLRequest { self }
}

extension URL: URLConvertible {
    public func asURL() throws -> URL { self }
}

extension URLComponents: URLConvertible {
    public func asURL() throws -> URL {
        guard let url else { throw AsyncNetError(.malformedURL, "The URL components make no URL") }
        return url
    }
}

extension String: URLConvertible {
    /// Reads the text as RFC 3986 says. Characters that may not stand in a path, query or fragment are
    /// percent-encoded; what is encoded already stays so.
    public func asURL() throws -> URL {
        guard let url = URLReference(self).url else { throw AsyncNetError(.malformedURL, "The text is no URL") }
        return url
    }
}

extension URL {
    /// The URL again, or the error that says why no request can be made to it.
    package func checkedForHTTP() throws(AsyncNetError) -> URL {
        guard let scheme = scheme?.lowercased() else { throw AsyncNetError(.malformedURL, "The URL has no scheme") }
        guard scheme == "http" || scheme == "https" else {
            throw AsyncNetError(.unsupportedScheme, "The URL's scheme \"\(scheme)\" is not supported")
        }
        guard let host, !host.isEmpty else { throw AsyncNetError(.malformedURL, "The URL has no host") }
        guard host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && !Self.neverInHosts.contains($0) }) else {
            throw AsyncNetError(.malformedURL, "The URL's host holds a character that no host has")
        }
        guard (port ?? 1) <= 65_535, port != 0 else {
            throw AsyncNetError(.malformedURL, "The URL's port is not between 1 and 65535")
        }
        return self
    }

    /// Characters that a percent-encoded host may hide and that change what a URL means (WHATWG URL, forbidden host
    /// code points).
    private static let neverInHosts = Set("#%/<>?@\\^|".utf8)

    /// Scheme, host and port: what decides whether credentials may follow a redirect (RFC 6454 §4).
    package var origin: String {
        let scheme = scheme?.lowercased() ?? ""
        return "\(scheme)://\(host?.lowercased() ?? ""):\(port ?? (scheme == "https" ? 443 : 80))"
    }
}
