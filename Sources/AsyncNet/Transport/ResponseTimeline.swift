public import Foundation

/// When a request passed its milestones, with the intervals between them.
///
/// The times are of the wall clock; the intervals are of a clock that no change of the wall clock affects.
public struct ResponseTimeline: Sendable, Hashable {
    /// When the request began to be sent.
    public let requestStartTime: Date
    /// The time from the start to the head of the final response; without a response, to the end of the transfer.
    public let latency: Duration
    /// The time from the start to the end of the transfer, retries and waits included.
    public let requestDuration: Duration
    /// The time for serializing the response; zero if nothing was serialized.
    public internal(set) var serializationDuration = Duration.zero

    /// When the head of the final response arrived; without a response, when the transfer ended.
    public var initialResponseTime: Date { time(after: latency) }
    /// When the transfer ended.
    public var requestCompletedTime: Date { time(after: requestDuration) }
    /// When the response had been serialized.
    public var serializationCompletedTime: Date { time(after: totalDuration) }
    /// The time of the request and of serializing its response.
    public var totalDuration: Duration { requestDuration + serializationDuration }

    private func time(after duration: Duration) -> Date { requestStartTime + duration / .seconds(1) }
}

extension ResponseTimeline: CustomStringConvertible, CustomDebugStringConvertible {
    /// The intervals in seconds, in the form of Alamofire 4:
    /// `Timeline: { "Latency": 0.123 secs, "Request Duration": 0.150 secs, … }`.
    public var description: String { Self.text(intervals) }

    /// The times, in seconds since 2001-01-01 00:00:00 UTC, and the intervals, in the form of Alamofire 4.
    public var debugDescription: String {
        let times = [
            ("Request Start Time", requestStartTime), ("Initial Response Time", initialResponseTime),
            ("Request Completed Time", requestCompletedTime),
            ("Serialization Completed Time", serializationCompletedTime),
        ]
        return Self.text(times.map { "\"\($0)\": \(Self.text($1.timeIntervalSinceReferenceDate))" } + intervals)
    }

    private var intervals: [String] {
        let named = [
            ("Latency", latency), ("Request Duration", requestDuration),
            ("Serialization Duration", serializationDuration), ("Total Duration", totalDuration),
        ]
        return named.map { "\"\($0)\": \(Self.text($1 / .seconds(1))) secs" }
    }

    private static func text(_ entries: [String]) -> String { "Timeline: { \(entries.joined(separator: ", ")) }" }
    private static func text(_ seconds: Double) -> String { String(format: "%.3f", seconds) }
}

extension RequestMetrics {
    /// The times up to the end of serializing, as intervals and by the wall clock.
    public var timeline: ResponseTimeline {
        ResponseTimeline(
            requestStartTime: start, latency: timeToResponse ?? total, requestDuration: total,
            serializationDuration: serialization)
    }
}
