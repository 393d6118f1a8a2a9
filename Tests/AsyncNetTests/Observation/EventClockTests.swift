import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("Clocks of events")
struct EventClockTests {
    @Test("The wall clock's time goes on with the session's clock")
    func dates() {
        let clock = EventClock(TimeSource(ContinuousClock()))
        let before = Date()
        let times = (0..<1000).map { _ in clock.now }
        let after = Date()
        // While the clock is counted on, the system may adjust the wall clock by half a millisecond.
        let span = before.addingTimeInterval(-0.0005)...after.addingTimeInterval(0.0005)
        #expect(times.allSatisfy { span.contains($0.date) })
    }

    @Test("With a clock of the user's the wall clock is read each time")
    func otherClock() {
        let clock = TestClock()
        let events = EventClock(TimeSource(clock))
        let before = Date()
        clock.advance(by: .seconds(3600))
        let time = events.now
        let after = Date()
        #expect(time.instant == .seconds(3600))
        #expect(before <= time.date && time.date <= after)
    }
}
