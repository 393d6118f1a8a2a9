public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Why a request ended without a value.
///
/// AsyncNet throws only this type. Programs branch on ``code``; ``description`` is for people: what happened, to which
/// request, on which attempt, the likely cause and what to try. Neither `description` nor `debugDescription` nor a
/// `dump` contains a header, or a query, fragment or userinfo of a URL.
///
/// A response with status 404 is not an error by itself: it becomes one, with code ``Code/unacceptableStatus``, if the
/// request has a `validate`.
public struct AsyncNetError: Error, Sendable {
    /// What went wrong, for programs. New codes may be added in any release, so a `switch` needs a `default`.
    public var code: Code { content.code }

    /// What went wrong in this case, in one sentence without secrets.
    public var message: String { content.message }

    /// The error that caused this error, such as a `DecodingError`, a `URLError`, or an error of a file or validator.
    ///
    /// URLs in a `URLError` have no userinfo and no query; ``request`` has the complete URL.
    public var underlyingError: (any Error)? { content.underlyingError }

    /// The request as it was sent last, or `nil` if there was none.
    public var request: URLRequest? { content.context.request?() }

    /// The head of the response, if one was received before the error. For `.proxyFailed` it is the head of the proxy's
    /// response, if the transport provides that. A retrier reads ``RequestContext/response`` instead, in which headers
    /// of one name are not joined.
    public var response: HTTPURLResponse? { (content.context.response ?? content.proxy?.response)?() }

    /// The response's body, at most its first 64 KiB; `nil` without a response. For a download or stream, the body of a
    /// response that a validator has refused, or the line or event that could not be decoded. Descriptions have nothing
    /// of it but names of members, the id of an event, and a number that does not fit its type.
    public var data: Data? { content.context.data }

    /// The status of ``response``, or `nil` without a response.
    public var statusCode: Int? { content.context.statusCode ?? content.proxy?.statusCode }

    /// How many times the request was sent, redirects not counted; 0 if it was not sent.
    public var attempts: Int { content.context.attempts }

    private var storage: Storage
    private var content: Content { storage.content }

    /// Creates an error, for transports, serializers and tests. A message has no secrets; by default the code's text.
    public init(_ code: Code, _ message: String? = nil, underlyingError: (any Error)? = nil) {
        storage = Storage(Content(code: code, message: message ?? code.summary, underlyingError: underlyingError))
    }

    /// This error with advice for its particular cause, in place of the code's general advice.
    package func with(advice: String) -> AsyncNetError { changed { $0.advice = advice } }

    /// A proxy's response to the request for a tunnel (CONNECT), which is no response to the request itself.
    package struct ProxyResponse: Sendable {
        let statusCode: Int
        let response: @Sendable () -> HTTPURLResponse?

        package init(statusCode: Int, response: @escaping @Sendable () -> HTTPURLResponse?) {
            self.statusCode = statusCode
            self.response = response
        }
    }

    package func with(proxy: ProxyResponse) -> AsyncNetError {
        changed { $0.proxy = proxy }
    }

    /// The request and response of an error; closures convert them to Foundation's types on demand.
    struct Context: Sendable {
        var method: String?
        var url: URL?
        var request: (@Sendable () -> URLRequest?)?
        var response: (@Sendable () -> HTTPURLResponse?)?
        var statusCode: Int?
        private(set) var data: Data?
        var attempts = 0

        /// Keeps the body's first 64 KiB. They are copied out of a longer body, so that the error does not keep the
        /// whole body in memory.
        mutating func keep(_ body: Data?) {
            data = body.map { $0.count > Self.mostData ? Data(Array($0.prefix(Self.mostData))) : $0 }
        }

        private static let mostData = 64 * 1024
    }

    /// This error with a request, unless the error has one already.
    func with(_ context: Context) -> AsyncNetError {
        guard content.context.url == nil, content.context.attempts == 0 else { return self }
        return changed { $0.context = context }
    }

    func with(underlyingError: any Error) -> AsyncNetError {
        changed { $0.underlyingError = underlyingError }
    }

    /// Whether the same request would fail again, although most requests that failed with this code may be retried.
    var isLasting: Bool { content.isLasting }
    package var asLasting: AsyncNetError { changed { $0.isLasting = true } }

    /// Whether an earlier error had the same cause, so that a log need not warn again.
    package var isRepetition: Bool { content.isRepetition }
    var asRepetition: AsyncNetError { changed { $0.isRepetition = true } }

    /// This error without its request, so that `with(_:)` can set another one.
    var withoutContext: AsyncNetError {
        changed { $0.context = Context() }
    }

    /// Wraps an error of user code: an `AsyncNetError` is kept, a `CancellationError` becomes `.cancelled`.
    package init(wrapping error: any Error, as code: Code, _ message: String? = nil) {
        switch error {
        case let error as AsyncNetError: self = error
        case is CancellationError: self.init(.cancelled, underlyingError: error)
        default: self.init(code, message, underlyingError: error)
        }
    }

    private func changed(_ change: (inout Content) -> Void) -> AsyncNetError {
        var (copy, content) = (self, content)
        change(&content)
        copy.storage = Storage(content)
        return copy
    }

    private struct Content: Sendable {
        let code: Code
        let message: String
        var underlyingError: (any Error)?
        var context = Context()
        var proxy: ProxyResponse?
        var advice: String?
        var isRepetition = false
        var isLasting = false
    }

    /// On the heap, so that `throws(AsyncNetError)` moves one word.
    private final class Storage: Sendable {
        let content: Content

        init(_ content: Content) { self.content = content }
    }
}

extension AsyncNetError: CustomStringConvertible, CustomDebugStringConvertible, LocalizedError, CustomReflectable {
    public var description: String {
        var text = message.hasSuffix(".") ? String(message.dropLast()) : message
        if let url = content.context.url { text += ": \(content.context.method ?? "GET") \(url.withoutSecrets)" }
        if attempts > 0 { text += " (attempt \(attempts))" }
        return "\(text). \(content.advice ?? code.advice) [\(code.rawValue)]"
    }

    /// The description and the type of the underlying error, without secrets.
    public var debugDescription: String {
        guard let underlyingError else { return description }
        return "\(description) Caused by \(type(of: underlyingError))."
    }

    public var errorDescription: String? { description }

    /// Shown by `dump`: the description only, since requests and responses contain secrets.
    public var customMirror: Mirror {
        Mirror(self, children: ["description": description])
    }
}

extension URL {
    /// Scheme, host, port and path, for descriptions: without userinfo, the parameters of path segments, such as
    /// `;jsessionid=1` (RFC 3986 §3.3), query and fragment. A URL inside the path has no userinfo either.
    var withoutSecrets: String {
        let text = absoluteString.prefix { $0 != "?" && $0 != "#" }
        var shown = ""
        for segment in text.split(separator: "/", omittingEmptySubsequences: false) {
            let isAuthority = shown.hasSuffix("//")
            let end = segment.prefix { $0 != ";" || isAuthority }
            let start = isAuthority ? end.lastIndex(of: "@").map(end.index(after:)) : nil
            shown += "\(end[(start ?? end.startIndex)...])/"
        }
        return String(shown.dropLast())
    }
}
