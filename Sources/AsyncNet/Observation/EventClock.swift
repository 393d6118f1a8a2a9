import Foundation
import Synchronization

/// When an event happened, by the session's clock and by the wall clock.
struct EventTime: Sendable {
    let instant: Duration
    let date: Date
}

/// Reads both clocks for events.
///
/// The wall clock is read once a second, and counted on by the session's clock meanwhile: a request has ten events, and
/// a clock takes as long as the rest of making an event. A clock of the user's moves as it likes, so that with it the
/// wall clock is read each time.
final class EventClock: Sendable {
    private let time: TimeSource
    /// The wall clock's time when the session's clock was at zero, in seconds, as the bits of a `Double`.
    private let zero = Atomic<UInt64>(0)
    /// When that was found, in nanoseconds.
    private let readAt = Atomic<Int64>(.min)

    init(_ time: TimeSource) { self.time = time }

    var now: EventTime {
        guard let nanoseconds = time.nanoseconds else { return EventTime(instant: time.now, date: Date()) }
        return EventTime(instant: .nanoseconds(nanoseconds), date: date(at: nanoseconds))
    }

    private func date(at nanoseconds: Int64) -> Date {
        let seconds = Double(nanoseconds) / 1e9
        guard nanoseconds > readAt.load(ordering: .acquiring) &+ 1_000_000_000 else {
            return Date(timeIntervalSinceReferenceDate: Double(bitPattern: zero.load(ordering: .relaxed)) + seconds)
        }
        let date = Date()
        zero.store((date.timeIntervalSinceReferenceDate - seconds).bitPattern, ordering: .relaxed)
        readAt.store(nanoseconds, ordering: .releasing)
        return date
    }
}
