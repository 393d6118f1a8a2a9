public import AsyncNet
public import Foundation

/// One exchange of a ``Recording``: a request as a transport received it, and the response to it or the failure.
///
/// Each hop of a request is an exchange of its own: redirects, challenges, retries and the segments of a download.
public struct RecordedExchange: Sendable, Hashable {
    /// What was sent.
    public var request: Request
    /// What came back.
    public var outcome: Outcome
    /// The time from the send to the response's head, or to the failure.
    public var latency: Duration

    /// Creates an exchange.
    public init(_ request: Request, _ outcome: Outcome, latency: Duration = .zero) {
        (self.request, self.outcome, self.latency) = (request, outcome, latency)
    }

    /// The response; `nil` if the transfer failed before it.
    public var response: Response? { if case .response(let response) = outcome { response } else { nil } }

    /// The request of an exchange.
    public struct Request: Sendable, Hashable {
        /// The method.
        public var method: HTTPMethod
        /// The absolute URL.
        public var url: URL
        /// The headers that the session gave to the transport, in their order.
        public var headers: HTTPHeaders
        /// The request's body as the transport read it to send it, with its content coding; empty without a body.
        public var body: Data
        /// Whether ``body`` is only the first part of what was sent.
        public var isBodyTruncated = false

        /// Creates a request.
        public init(method: HTTPMethod = .get, url: URL, headers: HTTPHeaders = [:], body: Data = Data()) {
            (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
        }
    }

    /// How a transfer ended.
    public enum Outcome: Sendable, Hashable {
        /// With a response, whose body may have failed.
        case response(Response)
        /// With a failure before the response's head.
        case failure(Failure)
    }

    /// Why a transfer failed.
    public struct Failure: Sendable, Hashable {
        /// The code of the transport's error.
        public var code: AsyncNetError.Code
        /// What went wrong, without secrets.
        public var message: String

        /// Creates a failure.
        public init(_ code: AsyncNetError.Code, _ message: String) { (self.code, self.message) = (code, message) }

        /// Creates a failure with the usual message of a code.
        public init(_ code: AsyncNetError.Code) { self.init(code, AsyncNetError(code).message) }

        /// The error that a transport throws for this failure.
        public var error: AsyncNetError { AsyncNetError(code, message) }
    }
}

extension RecordedExchange: CustomStringConvertible, CustomReflectable {
    /// The request's method and URL and what came back, without secrets.
    public var description: String {
        switch outcome {
        case .response(let response): "\(request): \(response)"
        case .failure(let failure): "\(request): \(failure)"
        }
    }

    /// Shown by `dump`: the description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension RecordedExchange.Request: CustomStringConvertible, CustomReflectable {
    /// The method and the URL, without userinfo, query and fragment.
    public var description: String { HTTPRequestHead(method: method, url: url).description }

    /// Shown by `dump`; contains no secrets.
    public var customMirror: Mirror {
        Mirror(self, children: ["description": description, "headers": headers, "body": "\(body.count) bytes"])
    }
}

extension RecordedExchange.Outcome: CustomStringConvertible {
    /// The status, or the code of the failure.
    public var description: String {
        switch self {
        case .response(let response): response.description
        case .failure(let failure): failure.description
        }
    }
}

extension RecordedExchange.Failure: CustomStringConvertible, CustomReflectable {
    /// The code.
    public var description: String { code.rawValue }

    /// Shown by `dump`: the code.
    public var customMirror: Mirror { Mirror(self, children: ["code": code.rawValue]) }
}
