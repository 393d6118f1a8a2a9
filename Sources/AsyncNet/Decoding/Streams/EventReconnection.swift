/// When a stream of server-sent events connects again, and after which delay.
///
///     for try await event in session.stream(url).serverSentEvents(reconnection: .always(limit: nil)) { }
///
/// Only a GET is repeated, and only after its first response was an event stream: until then an error ends the stream.
/// The first delay is the stream's `retry`, up to ``maximumRetry``, or else ``delay``; each further failure doubles it.
///
/// A reconnection is a new request to the session's policies. After an error the retriers decide first, with a delay no
/// shorter than the stream's; attempts are counted from the last event or regular end. If no retrier decides, the
/// stream connects again after errors that may be temporary: those of ``RetryPolicy/passingErrorCodes``, an open
/// circuit, and the statuses 408, 429, 500, 502, 503 and 504. A `Retry-After` is waited for (RFC 9110 §10.2.3), and
/// ends the stream if it is longer than ``maximumRetry``. A reconnection after a failed reconnection is charged to the
/// session's ``SessionConfiguration/retryBudget``, and ends the stream with its error if the budget is spent.
public struct EventReconnection: Hashable, Sendable {
    enum Occasion: Hashable, Sendable {
        case never, ifResumable, always
    }

    let occasion: Occasion
    /// The delay before a connection, if the stream has sent no `retry`.
    public var delay: Duration
    /// The longest delay after failures, unless the stream's `retry` is longer.
    public var maximumDelay: Duration
    /// The longest `retry` of a stream that is respected; 5 minutes by default. WHATWG HTML sets no limit, and a server
    /// could stop a stream for weeks.
    public var maximumRetry: Duration
    /// How many connections in a row may bring no event, whether they fail or are accepted and end; `nil` for any
    /// number. The error of the next one ends the stream, unless a retrier sends the request again; after a regular end
    /// the error is `.connectionLost`. An event resets the count, a comment does not.
    public var limit: Int?
    /// How long the server may send nothing, not even a comment, before the connection counts as lost; by default the
    /// session's timeout.
    public var heartbeatTimeout: Duration?

    init(
        _ occasion: Occasion, delay: Duration, maximumDelay: Duration, maximumRetry: Duration, limit: Int?,
        heartbeatTimeout: Duration?
    ) {
        self.occasion = occasion
        self.delay = max(.zero, delay)
        self.maximumDelay = max(.zero, maximumDelay)
        self.maximumRetry = max(.zero, maximumRetry)
        self.limit = limit
        self.heartbeatTimeout = heartbeatTimeout
    }

    /// Never connects again: the stream ends with its response.
    public static let never = EventReconnection(
        .never, delay: .zero, maximumDelay: .zero, maximumRetry: .zero, limit: 0, heartbeatTimeout: nil)

    /// Connects again if the stream has sent an `id` or a `retry`: after a lost connection, or after the regular end of
    /// a response without `Content-Length`.
    public static func ifResumable(
        delay: Duration = .seconds(3), maximumDelay: Duration = .seconds(60), maximumRetry: Duration = .seconds(300),
        limit: Int? = 10, heartbeatTimeout: Duration? = nil
    ) -> EventReconnection {
        EventReconnection(
            .ifResumable, delay: delay, maximumDelay: maximumDelay, maximumRetry: maximumRetry, limit: limit,
            heartbeatTimeout: heartbeatTimeout)
    }

    /// Connects again after each end of a connection, as browsers do, until a response has the status 204; any other
    /// status than 200 that is not temporary is the stream's error.
    public static func always(
        delay: Duration = .seconds(3), maximumDelay: Duration = .seconds(60), maximumRetry: Duration = .seconds(300),
        limit: Int? = 10, heartbeatTimeout: Duration? = nil
    ) -> EventReconnection {
        EventReconnection(
            .always, delay: delay, maximumDelay: maximumDelay, maximumRetry: maximumRetry, limit: limit,
            heartbeatTimeout: heartbeatTimeout)
    }
}
