public import Foundation

/// A step of one of a session's requests, WebSockets or raw streams, with its request and time.
public struct SessionEvent: Sendable {
    /// The request, the WebSocket or the raw stream. All its events have this identifier.
    public let requestID: RequestID
    /// The number of the attempt, from 1; 0 before the first.
    public let attempt: Int
    /// The number of the hop within the attempt, from 1; 0 outside hops. Hops of segments and hedged transfers, which
    /// overlap, have numbers of their own.
    public let hop: Int
    /// The time by the session's clock, since the session was made. The time between two events is the difference of
    /// their instants, even if the wall clock was set.
    public let instant: Duration
    /// The text of the ``URLTemplate`` that the request was made with, which stays that of the first hop when a
    /// redirect is followed; `nil` without a template, and before the first attempt.
    public let urlTemplate: String?
    /// The time by the wall clock.
    public internal(set) var date = Date()
    /// The summary, behind a reference, so that events without a summary stay small.
    var ending: SharedValue<RequestSummary>?
    /// The step.
    public let event: RequestEvent
    /// How the request uses bodies; `.webSocket` or `.connection` for a WebSocket or a raw stream.
    public let kind: RequestKind
    /// The request's tags, see ``RequestValueKey``; none for a WebSocket or a raw stream.
    public internal(set) var values = RequestValues()
    /// How many events the observer has lost between its last event and this event, since it was too slow.
    public internal(set) var lostBefore = 0

    /// What is known of the request at its end; `nil` for other steps than ``RequestEvent/finished(_:)``.
    public var summary: RequestSummary? { ending?.value }
}

extension SessionEvent {
    /// Makes an event, for tests of monitors.
    public init(
        requestID: RequestID, kind: RequestKind = .data, attempt: Int = 1, hop: Int = 0, date: Date = Date(),
        instant: Duration = .zero, event: RequestEvent, summary: RequestSummary? = nil, lostBefore: Int = 0,
        urlTemplate: String? = nil, values: RequestValues = RequestValues()
    ) {
        self.init(
            requestID: requestID, attempt: attempt, hop: hop, instant: instant, urlTemplate: urlTemplate, date: date,
            ending: summary.map { SharedValue($0) }, event: event, kind: kind, values: values, lostBefore: lostBefore)
    }
}

extension SessionEvent: ShownByDescription {
    /// The request's identifier, attempt, hop and step: `#7 1.2 response 200`. Contains no secrets.
    public var description: String { "\(requestID) \(attempt).\(hop) \(event)" }
}

/// What is known of a request at its end.
public struct RequestSummary: Sendable {
    /// The request's head as it was sent last; `nil` if the request could not be made.
    public var request: HTTPRequestHead?
    /// The text of the ``URLTemplate`` that the request was made with; `nil` without a template.
    public var urlTemplate: String?
    /// The head of the response; `nil` without a response.
    public var response: HTTPResponseHead?
    /// Times, sizes, attempts and redirects.
    public var metrics: RequestMetrics
    /// The error of the request; `nil` after a success.
    public var error: AsyncNetError?

    /// Makes a summary, for tests of monitors.
    public init(
        request: HTTPRequestHead? = nil, urlTemplate: String? = nil, response: HTTPResponseHead? = nil,
        metrics: RequestMetrics = RequestMetrics(), error: AsyncNetError? = nil
    ) {
        self.request = request
        self.urlTemplate = urlTemplate
        self.response = response
        self.metrics = metrics
        self.error = error
    }
}

extension RequestSummary: CustomReflectable {
    /// What `dump` shows; contains no secrets.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "request": request as Any, "response": response as Any, "metrics": metrics, "error": error as Any,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}
