public import AsyncNet
import Foundation

/// Writes a line for each request that has ended, or for each step of each request.
///
///     let session = Session(configuration: .init(monitors: [RequestLog { line in print(line) }]))
///
/// A line has names and values in the form of logfmt, `name=value`, and begins with the time:
///
///     time=2026-11-23T11:45:33.120Z level=info request=#7 event=finished method=GET url=https://example.com/a
///     status=200 attempts=1 redirects=0 duration=0.012345s response=0.011200s sent=0 received=1024 reused=true
///     protocol=HTTP/2 address=203.0.113.7
///
/// (It is one line.) A value that is unknown is left out. No value from a server or caller can end the line, or control
/// a terminal: such characters are escaped, see ``Entry``. Secrets are redacted by a `RedactionRule`. A request's tags
/// follow the other values, if their `RequestValueKey` has a `logName`.
///
/// The closures run outside of the requests, one call after the other: they may block, and delay no request. If the
/// closures take too long, the oldest events are lost, and a line with `event=lost` counts the lost events.
public struct RequestLog: EventMonitor {
    /// What a log writes.
    public enum Level: Int, Sendable, Comparable {
        /// Entries of the severities `warning` and `error`: requests that failed or were slow, responses with a status
        /// of 400 or more, values that could not be decoded, WebSockets and raw streams that failed, lost connections
        /// of WebSockets, spent retry budgets, and the counts of lost events. A cancel is no failure.
        case errors
        /// Each request, WebSocket and raw stream, when it has ended, and what `errors` writes.
        case requests
        /// Each step of requests, WebSockets and raw streams, except for the chunks of bodies and of raw streams.
        case steps

        public static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
    }

    private let level: Level
    private let entries: RequestLogEntries
    private let format: @Sendable (Entry) -> String
    private let write: @Sendable (String) -> Void

    /// Makes a log.
    ///
    /// - Parameters:
    ///   - level: What is written.
    ///   - redaction: What is redacted in URLs.
    ///   - slowerThan: The duration from which on a request is slow, which its line reports by `slow=true` and the
    ///     level `warning`. For a stream, the time to its response counts. `nil`, the default, is no limit.
    ///   - format: Makes the line; in the form of logfmt by default.
    ///   - write: Called with each line, without a line break.
    public init(
        level: Level = .requests, redaction: RedactionRule = .standard, slowerThan: Duration? = nil,
        format: @escaping @Sendable (Entry) -> String = { $0.description },
        _ write: @escaping @Sendable (String) -> Void
    ) {
        entries = RequestLogEntries(redaction: redaction, slowerThan: slowerThan)
        (self.level, self.format, self.write) = (level, format, write)
    }

    /// A log that writes its lines to the standard error.
    public static func standardError(
        level: Level = .requests, redaction: RedactionRule = .standard, slowerThan: Duration? = nil
    ) -> RequestLog {
        RequestLog(level: level, redaction: redaction, slowerThan: slowerThan) { line in
            try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
        }
    }

    /// For the level `steps`, the heads as they were sent; for the other levels no expensive events.
    public var interests: EventInterests { level == .steps ? EventInterests(sentHeads: true) : .minimal }

    /// Writes the lines of the event.
    public func receive(_ event: SessionEvent) async {
        for entry in entries.entries(of: event) where isWritten(entry) { write(format(entry)) }
    }

    private func isWritten(_ entry: Entry) -> Bool {
        switch level {
        case .errors: entry.severity >= .warning
        case .requests: entry.severity >= .info
        case .steps: true
        }
    }
}
