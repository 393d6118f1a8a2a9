/// A span of time, and where in it an instant is.
package struct Scale: Sendable {
    package let start: Duration
    package let end: Duration

    package init(from start: Duration, to end: Duration) {
        self.start = start
        self.end = max(end, start + .microseconds(1))
    }

    /// From the first start to the last end; a millisecond without requests.
    package init(of requests: [RequestTimeline]) {
        let start = requests.map(\.start).min() ?? .zero
        self.init(from: start, to: requests.map(\.end).max() ?? start + .milliseconds(1))
    }

    package var duration: Duration { end - start }

    /// 0 at the start, 1 at the end, and no other values.
    package func fraction(of instant: Duration) -> Double { min(1, max(0, (instant - start) / duration)) }

    /// Round times since the start, from zero, of which there are at most `limit` and at least two.
    package func ticks(limit: Int) -> [Duration] {
        let microseconds = duration / .microseconds(1)
        let steps = (0...12).flatMap { power in [1.0, 2, 5].map { $0 * Self.tenToThe(power) } }
        let step = steps.first { microseconds / $0 < Double(max(2, limit)) } ?? microseconds
        return stride(from: 0, through: microseconds, by: step).map { .microseconds(Int64($0)) }
    }

    private static func tenToThe(_ power: Int) -> Double { (0..<power).reduce(1) { value, _ in value * 10 } }
}
