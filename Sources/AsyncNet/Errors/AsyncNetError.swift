public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Why a request did not end in a value.
///
/// Everything AsyncNet throws is of this type. ``code`` is what a program branches on; ``description`` is what
/// a person reads: what happened, to which request, on which attempt, the likely cause and what to try. Neither
/// it, nor `debugDescription`, nor a `dump` shows a header, a query, a fragment or user information of a URL.
///
/// A response with status 404 is not an error by itself: it becomes one, with code
/// ``Code/unacceptableStatus``, where the request is told to `validate`.
public struct AsyncNetError: Error, Sendable {
    /// What went wrong, for programs. New codes may be added in any release, so a `switch` needs a `default`.
    public var code: Code { storage.code }

    /// What went wrong in this case, in one sentence without secrets.
    public var message: String { storage.message }

    /// The error that caused this one: a `URLError`, a `DecodingError`, or what a validator or serializer threw.
    ///
    /// URLs in a `URLError` have no user information and no query; ``request`` has the whole.
    public var underlyingError: (any Error)? { storage.underlyingError }

    /// The request as it was last sent, or `nil` if none could be made.
    public var request: URLRequest? { storage.context.request?() }

    /// The head of the response that was received before things went wrong, if there was one.
    public var response: HTTPURLResponse? { storage.context.response?() }

    /// How many times the request was put on the wire; 0 if it never was.
    public var attempts: Int { storage.context.attempts }

    private var storage: Storage

    /// Makes an error, for transports, serializers and tests of one's own.
    ///
    /// - Parameters:
    ///   - code: What went wrong, for programs.
    ///   - message: What went wrong in this case. It must hold no secret; `nil` takes the code's own words.
    ///   - underlyingError: The cause, if there is one.
    public init(_ code: Code, _ message: String? = nil, underlyingError: (any Error)? = nil) {
        storage = Storage(
            code: code, message: message ?? code.summary, underlyingError: underlyingError, context: Context())
    }

    /// Which request an error is about. Closures, so that nothing is built for an error nobody looks into.
    package struct Context: Sendable {
        package var method: String?
        package var url: URL?
        package var request: (@Sendable () -> URLRequest?)?
        package var response: (@Sendable () -> HTTPURLResponse?)?
        package var attempts = 0

        package init() {}
    }

    /// The same error, told about the request it happened to. An error that knows its request keeps it.
    package func with(_ context: Context) -> AsyncNetError {
        guard storage.context.url == nil, storage.context.attempts == 0 else { return self }
        var copy = self
        copy.storage = Storage(
            code: code, message: message, underlyingError: underlyingError, context: context)
        return copy
    }

    /// The same, to be told about another request.
    package var withoutContext: AsyncNetError { AsyncNetError(code, message, underlyingError: underlyingError) }

    /// Wraps what user code threw: an `AsyncNetError` stays as it is, a cancellation is one, the rest gets `code`.
    package init(wrapping error: any Error, as code: Code, _ message: String? = nil) {
        switch error {
        case let error as AsyncNetError: self = error
        case is CancellationError: self.init(.cancelled, underlyingError: error)
        default: self.init(code, message, underlyingError: error)
        }
    }

    /// On the heap, so that `throws(AsyncNetError)` moves one word.
    private final class Storage: Sendable {
        let code: Code
        let message: String
        let underlyingError: (any Error)?
        let context: Context

        init(code: Code, message: String, underlyingError: (any Error)?, context: Context) {
            self.code = code
            self.message = message
            self.underlyingError = underlyingError
            self.context = context
        }
    }

    fileprivate var subject: String? {
        guard let url = storage.context.url else { return nil }
        return "\(storage.context.method ?? "GET") \(url.withoutSecrets)"
    }
}

extension AsyncNetError: CustomStringConvertible, CustomDebugStringConvertible, LocalizedError, CustomReflectable {
    public var description: String {
        var text = message.hasSuffix(".") ? String(message.dropLast()) : message
        if let subject { text += ": \(subject)" }
        if attempts > 0 { text += " (attempt \(attempts))" }
        return "\(text). \(code.advice) [\(code.rawValue)]"
    }

    /// The description and the kind of the underlying error; still no secrets.
    public var debugDescription: String {
        guard let underlyingError else { return description }
        return "\(description) Caused by \(type(of: underlyingError))."
    }

    public var errorDescription: String? { description }

    /// What `dump` shows: the description only, since requests and responses hold secrets.
    public var customMirror: Mirror {
        Mirror(self, children: ["description": description])
    }
}

extension URL {
    /// Scheme, host, port and path: what may be shown of a URL in a description or a log.
    package var withoutSecrets: String {
        let text = absoluteString
        var shown = text.prefix { $0 != "?" && $0 != "#" }
        guard let slashes = shown.range(of: "//") else { return String(shown) }
        let authority = shown[slashes.upperBound...].prefix { $0 != "/" }
        if let at = authority.lastIndex(of: "@") {
            shown.removeSubrange(authority.startIndex...at)
        }
        return String(shown)
    }
}
