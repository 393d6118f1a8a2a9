public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// A value that can be converted to the URL of a request: `String`, `URL`, `URLComponents`.
///
/// Converted when the request starts; an error ends the request with `.malformedURL`.
public protocol URLConvertible: Sendable {
    /// Returns the URL, which may be relative if the session has a base URL. The empty text is the base URL itself.
    func asURL() throws -> URL
}

/// A value that can be converted to a request, such as a `URLRequest` or a router of the user's.
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
/// Converted when the request starts, on no actor, on a thread that it must not block; an error ends the request with
/// `.encodingFailed`.
public protocol URLRequestConvertible: Sendable {
    /// Returns the request.
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
        guard let url else { throw AsyncNetError(.malformedURL, "The URL components are not a valid URL") }
        return url
    }
}

extension String: URLConvertible {
    /// Parses the text (RFC 3986). Characters that are invalid in a path, query or fragment are percent-encoded;
    /// existing percent-encodings are kept.
    public func asURL() throws -> URL {
        guard let url = URLReference(self).url else { throw AsyncNetError(.malformedURL, "The text is not a URL") }
        return url
    }
}

extension URL {
    /// This URL, or the error why no request can be sent to it.
    func checkedForHTTP() throws(AsyncNetError) -> URL {
        guard let scheme = scheme?.lowercased() else { throw AsyncNetError(.malformedURL, "The URL has no scheme") }
        guard scheme == "http" || scheme == "https" else {
            throw AsyncNetError(.unsupportedScheme, "The URL's scheme \"\(scheme)\" is not supported")
        }
        guard let host, !host.isEmpty else { throw AsyncNetError(.malformedURL, "The URL has no host") }
        guard host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && !Self.neverInHosts.contains($0) }) else {
            throw AsyncNetError(.malformedURL, "The URL's host contains an invalid character")
        }
        guard (port ?? 1) <= 65_535, port != 0 else {
            throw AsyncNetError(.malformedURL, "The URL's port is not between 1 and 65535")
        }
        return self
    }

    /// Characters that change a URL's meaning if they are percent-encoded in the host (WHATWG URL, forbidden host code
    /// points).
    private static let neverInHosts = Set("#%/<>?@\\^|".utf8)

    /// Scheme, host and port (RFC 6454 §4), which decide whether credentials follow a redirect.
    var origin: String {
        let scheme = scheme?.lowercased() ?? ""
        return "\(scheme)://\(host?.lowercased() ?? ""):\(port ?? (scheme == "https" ? 443 : 80))"
    }
}
