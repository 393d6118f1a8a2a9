public import AsyncNet
public import Foundation

/// The time from sending a request's head to the end of the response's body, with attributes as OpenTelemetry's
/// semantic conventions name them (HTTP client spans, stable). Contains no secrets: see `RedactionRule`.
///
/// - `http.request.method`: the method; `_OTHER`, with `http.request.method_original`, if it is not one of RFC 9110,
///   PATCH or QUERY.
/// - `url.full`, redacted, `url.scheme`, `server.address` and `server.port`.
/// - `url.template`, from the path on, as `/users/{id}`: of a request that was made with a `URLTemplate`; not after a
///   redirect, to which it does not apply.
/// - `http.request.resend_count`: how often the request had been sent before, for whatever reason; left out for the
///   first time.
/// - `http.response.status_code`, if there was a response.
/// - `network.protocol.version`, `network.peer.address` and `network.peer.port`, if the transport knows them.
/// - `error.type`: the `AsyncNetError.Code` of the error that ended the transfer, or a status of 400 or above.
/// - `http.request.header.<name>` and `http.response.header.<name>`, for the headers that ``TracePropagation`` names.
public struct TraceSpan: Sendable {
    /// The request.
    public let requestID: RequestID
    /// `GET`, or `GET /users/{id}` with a `URLTemplate`; `HTTP` in place of a method that is not known.
    public let name: String
    /// The span's own context.
    public internal(set) var context: TraceContext
    /// The context that the span is a child of; `nil` for the first span of a trace.
    public let parent: TraceContext?
    /// When the span began, by the wall clock.
    public let start: Date
    /// The time from start to end, by the session's clock; `nil` until the end.
    public internal(set) var duration: Duration?
    /// The attributes, by their names.
    public internal(set) var attributes: [String: Attribute]
    /// What happened during the span.
    public internal(set) var events: [Event] = []
    /// Whether the hop failed; a response with 4xx or 5xx counts as a failure.
    public internal(set) var status = Status.unset

    /// Makes a span, for tests of tracers.
    public init(
        requestID: RequestID, name: String, context: TraceContext, parent: TraceContext? = nil, start: Date = Date(),
        duration: Duration? = nil, attributes: [String: Attribute] = [:], events: [Event] = [],
        status: Status = .unset
    ) {
        self.requestID = requestID
        self.name = name
        self.context = context
        self.parent = parent
        self.start = start
        self.duration = duration
        self.attributes = attributes
        self.events = events
        self.status = status
    }

    /// The value of an attribute. More cases may be added in any release.
    public enum Attribute: Sendable, Hashable, CustomStringConvertible {
        /// A text.
        case string(String)
        /// A whole number.
        case int(Int)
        /// Several texts.
        case strings([String])

        public var description: String {
            switch self {
            case .string(let text): text
            case .int(let number): "\(number)"
            case .strings(let texts): "\(texts)"
            }
        }
    }

    /// Whether a span ended with an error.
    public enum Status: Sendable, Hashable {
        /// The hop has no error: its status is below 400, or it was cancelled before a response. Whether a validator
        /// accepts the response does not count.
        case unset
        /// The hop failed with an error, which the text describes, or has a status of 400 or above; then the text is
        /// `nil`.
        case error(String?)
    }

    /// Something that happened during a span: `repeated` if the transport sent the request again on another connection,
    /// `cancelled` if the transfer was given up, by a cancel or because another hedged transfer's response came first.
    public struct Event: Sendable, Hashable {
        /// What happened.
        public let name: String
        /// The time since the span's start.
        public let time: Duration

        /// Makes an event, for tests of tracers.
        public init(name: String, time: Duration) { (self.name, self.time) = (name, time) }
    }
}

extension TraceSpan: ShownByDescription {
    /// The name, status and duration: `GET /users/{id} 200 0.1 seconds`. Contains no secrets.
    public var description: String {
        let result = attributes["http.response.status_code"] ?? attributes["error.type"]
        return [name, result?.description, duration.map { "\($0)" }].compactMap(\.self).joined(separator: " ")
    }
}
