import AsyncNetTesting
import Synchronization
import Testing

@testable import AsyncNet

@Suite("Timers", .timeLimit(.minutes(5)))
struct TimerQueueTests {
    final class Log: Sendable {
        private let entries = Mutex<[String]>([])
        private let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        func add(_ entry: String) {
            entries.withLock { $0.append(entry) }
            continuation.yield()
        }
        var all: [String] { entries.withLock { $0 } }
        func wait(for count: Int) async {
            if all.count >= count { return }
            for await _ in stream where all.count >= count { return }
        }
    }

    final class Watched: IdleWatched {
        private let log: Log
        init(_ log: Log) { self.log = log }
        var isHeldBack: Bool { false }
        func wasIdle(_ timer: IdleTimer, for timeout: Duration) { log.add("silence") }
    }

    @Test("Timers fire in the order of their times, with one sleeping task")
    func order() async {
        let (clock, log) = (TestClock(), Log())
        let timers = TimerQueue(TimeSource(clock))
        for seconds in [5, 1, 3] {
            _ = timers.schedule(at: .seconds(seconds)) {
                log.add("\(seconds)")
                return nil
            }
        }
        await clock.sleepers(atLeast: 1)
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        await log.wait(for: 1)
        #expect(log.all == ["1"])
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(10))
        await log.wait(for: 3)
        #expect(log.all == ["1", "3", "5"])
        #expect(timers.count == 0)
    }

    @Test("A cancelled timer does not fire, and cancelling it again removes no other timer")
    func cancelling() async {
        let (clock, log) = (TestClock(), Log())
        let timers = TimerQueue(TimeSource(clock))
        let first = timers.schedule(at: .seconds(1)) {
            log.add("first")
            return nil
        }
        timers.cancel(first)
        _ = timers.schedule(at: .seconds(1)) {
            log.add("second")
            return nil
        }
        timers.cancel(first)
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(1))
        await log.wait(for: 1)
        #expect(log.all == ["second"])
    }

    @Test("The timer heap returns ten thousand random timers in order, without those that were removed")
    func heap() {
        var (heap, random) = (TimerHeap<Duration, any TimerTarget>(), SeededRandom(state: 7))
        var expected: [Int: Int] = [:]
        var timers: [Int: TimerQueue.Timer] = [:]
        for id in 0..<10_000 {
            let due = Int.random(in: 0..<100_000, using: &random)
            timers[id] = heap.insert(.nanoseconds(due), ClosureTarget { .nanoseconds(due) })
            expected[id] = due
        }
        for id in 0..<10_000 where Bool.random(using: &random) {
            heap.remove(timers[id]!)
            expected[id] = nil
        }
        #expect(heap.count == expected.count)
        let fired = heap.takeAll(dueBy: .seconds(1)).compactMap { $0.action.timerIsDue() }
        #expect(fired == expected.values.sorted().map { .nanoseconds($0) })
    }

    @Test("An idle timer fires only when its timeout has passed since the last touch()")
    func idle() async {
        let (clock, log) = (TestClock(), Log())
        let timers = TimerQueue(TimeSource(clock))
        let idle = IdleTimer(timers, timeout: .seconds(10), watching: Watched(log))
        idle.start()
        for _ in 0..<5 {
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .seconds(9))
            idle.touch()
        }
        #expect(log.all.isEmpty)
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(10))
        await log.wait(for: 1)
        #expect(log.all == ["silence"])
        idle.stop()
        #expect(timers.count == 0)
    }

    @Test("An idle timer that has rescheduled itself is removed by stop()")
    func removedAfterMoving() async {
        let (clock, log) = (TestClock(), Log())
        let timers = TimerQueue(TimeSource(clock))
        let idle = IdleTimer(timers, timeout: .seconds(1), watching: Watched(log))
        idle.start()
        idle.pause()
        _ = timers.schedule(at: .seconds(1)) {
            log.add("moved on")
            return nil
        }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(1))
        await log.wait(for: 1)
        await clock.sleepers(atLeast: 1)
        #expect(timers.count == 1)
        idle.stop()
        #expect(timers.count == 0)
    }

    @Test("An idle timer with a timeout of Int64.max seconds is scheduled without an overflow")
    func centuries() async {
        let timers = TimerQueue(TimeSource(ContinuousClock()))
        let idle = IdleTimer(timers, timeout: .seconds(Int64.max), watching: Watched(Log()))
        idle.start()
        #expect(timers.count == 1)
        idle.stop()
    }

    @Test("A paused idle timer does not fire until it is touched again")
    func pausedIdle() async {
        let (clock, log) = (TestClock(), Log())
        let timers = TimerQueue(TimeSource(clock))
        let idle = IdleTimer(timers, timeout: .seconds(1), watching: Watched(log))
        idle.start()
        idle.pause()
        for _ in 0..<5 {
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .seconds(100))
        }
        await clock.sleepers(atLeast: 1)
        #expect(log.all.isEmpty)
        idle.touch()
        clock.advance(by: .seconds(1))
        await log.wait(for: 1)
    }
}
