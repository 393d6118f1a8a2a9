/// When a stream of server-sent events is connected to again, and how long it waits before that.
///
///     for try await event in session.stream(url).serverSentEvents(reconnection: .always(limit: nil)) { }
///
/// Only a GET that was answered with a stream is repeated; a connection that never came about ends in its error. The
/// first wait is what the stream asked for in `retry`, up to ``maximumRetry``, or ``delay``; each further one that
/// meets an error doubles it.
public struct EventReconnection: Hashable, Sendable {
    package enum Occasion: Hashable, Sendable {
        case never, ifResumable, always
    }

    package let occasion: Occasion
    /// How long it waits where the stream has not said.
    public var delay: Duration
    /// What a growing wait never exceeds, unless the stream itself asks for more.
    public var maximumDelay: Duration
    /// What counts of a longer wait that the stream asks for in `retry`; 5 minutes by default. WHATWG HTML sets no
    /// bound, and a server could keep a stream silent for weeks.
    public var maximumRetry: Duration
    /// How many connections in a row may fail before the error of the last ends the stream; `nil` is any number.
    public var limit: Int?
    /// How long the server may send nothing, not even a comment, before the connection counts as lost; the session's
    /// timeout by default.
    public var heartbeatTimeout: Duration?

    package init(
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

    /// The stream ends with its response.
    public static let never = EventReconnection(
        .never, delay: .zero, maximumDelay: .zero, maximumRetry: .zero, limit: 0, heartbeatTimeout: nil)

    /// Connects again after a lost connection, or an end that no `Content-Length` announced, if the stream can be gone
    /// on with: it has set an `id` or a `retry`.
    public static func ifResumable(
        delay: Duration = .seconds(3), maximumDelay: Duration = .seconds(60), maximumRetry: Duration = .seconds(300),
        limit: Int? = 10, heartbeatTimeout: Duration? = nil
    ) -> EventReconnection {
        EventReconnection(
            .ifResumable, delay: delay, maximumDelay: maximumDelay, maximumRetry: maximumRetry, limit: limit,
            heartbeatTimeout: heartbeatTimeout)
    }

    /// Connects again however a connection ends, as browsers do, until the server answers 204.
    public static func always(
        delay: Duration = .seconds(3), maximumDelay: Duration = .seconds(60), maximumRetry: Duration = .seconds(300),
        limit: Int? = 10, heartbeatTimeout: Duration? = nil
    ) -> EventReconnection {
        EventReconnection(
            .always, delay: delay, maximumDelay: maximumDelay, maximumRetry: maximumRetry, limit: limit,
            heartbeatTimeout: heartbeatTimeout)
    }
}
