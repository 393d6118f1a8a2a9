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
        guard let url = isPlain ? URL(string: self, encodingInvalidCharacters: false) : URLReference(self).url else {
            throw AsyncNetError(.malformedURL, "The text is not a URL")
        }
        return url
    }

    /// Whether no byte has to be encoded, wherever it stands. Most URLs are like this, and need not be split.
    private var isPlain: Bool {
        let others: StaticString = "/:?&=-._~,+@"
        let allowed = UnsafeBufferPointer(start: others.utf8Start, count: others.utf8CodeUnitCount)
        return utf8.allSatisfy { HTTPSyntax.isAlphanumeric($0) || allowed.contains($0) }
    }
}

extension URL {
    /// This URL; throws `.malformedURL` or `.unsupportedScheme` if no request can be sent to it.
    func checkedForHTTP() throws(AsyncNetError) -> URL {
        if isPlainHTTP { return self }
        guard let scheme = scheme?.lowercased() else { throw AsyncNetError(.malformedURL, "The URL has no scheme") }
        guard scheme == "http" || scheme == "https" else {
            throw AsyncNetError(.unsupportedScheme, "The URL's scheme \"\(scheme)\" is not supported\(schemeHint)")
        }
        guard let host, !host.isEmpty else { throw AsyncNetError(.malformedURL, "The URL has no host") }
        let isName = host.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && !Self.neverInHosts.contains($0) }
        guard isName || ZonedAddress.isValid(host) else {
            throw AsyncNetError(.malformedURL, "The URL's host contains an invalid character")
        }
        // Foundation's `host` omits brackets, in which only an IPv6 address may be (RFC 3986 §3.2.2).
        guard host.utf8.contains(UInt8(ascii: ":")) || !isHostBracketed else {
            throw AsyncNetError(.malformedURL, "The host in brackets is no IPv6 address")
        }
        guard (port ?? 1) <= 65_535, port != 0 else {
            throw AsyncNetError(.malformedURL, "The URL's port is not between 1 and 65535")
        }
        return self
    }

    /// Whether the host is in brackets. Most URLs have no bracket, which is found without a copy of their parts.
    private var isHostBracketed: Bool {
        guard absoluteString.utf8.contains(UInt8(ascii: "[")) else { return false }
        return URLReference(absoluteString).authority?.split(separator: "@").last?.hasPrefix("[") == true
    }

    /// What an error advises for a text such as `documents:batchGet` or `localhost:8080`, whose first part is read as a
    /// scheme.
    private var schemeHint: String {
        guard !absoluteString.drop(while: { $0 != ":" }).hasPrefix("://") else { return "" }
        return
            "; a relative reference with a colon in its first segment needs ./ before it (RFC 3986 §4.2), "
            + "a host needs http:// before it"
    }

    /// Whether the bytes alone show that a request can be sent to this URL: `http` or `https`, a host of letters,
    /// digits, dots and hyphens, and no port or one of up to four digits. Most URLs are like this, and need no new
    /// strings for their parts then.
    private var isPlainHTTP: Bool {
        var text = absoluteString
        return text.withUTF8 { text in
            var index = 0
            func skip(while isPart: (UInt8) -> Bool) -> Int {
                let start = index
                while index < text.count, isPart(text[index]) { index += 1 }
                return index - start
            }
            func skip(_ part: StaticString) -> Bool {
                let count = part.utf8CodeUnitCount
                guard text.count - index >= count else { return false }
                for offset in 0..<count where text[index + offset] != part.utf8Start[offset] { return false }
                index += count
                return true
            }
            guard skip("https://") || skip("http://") else { return false }
            guard skip(while: { HTTPSyntax.isAlphanumeric($0) || $0 == 0x2D || $0 == 0x2E }) > 0 else { return false }
            let port = index + 1
            if skip(":"), !(1...4 ~= skip(while: { 0x30...0x39 ~= $0 })) || text[port] == 0x30 { return false }
            return index == text.count || skip("/") || skip("?") || skip("#")
        }
    }

    /// Characters that change a URL's meaning if they are encoded in the host (WHATWG URL, forbidden host code points).
    private static let neverInHosts = Set("#%/<>?@\\^|".utf8)

    /// Scheme, host and port (RFC 6454 §4), which decide whether credentials follow a redirect.
    package var origin: String {
        let scheme = scheme?.lowercased() ?? ""
        return "\(scheme)://\(host?.lowercased() ?? ""):\(port ?? (scheme == "https" ? 443 : 80))"
    }
}
