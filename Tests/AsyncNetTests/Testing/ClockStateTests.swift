import AsyncNet
import Testing

@testable import AsyncNetTestSupport

/// When a clock may move by itself, as a table.
@Suite("ClockState")
struct ClockStateTests {
    enum Step: Sendable {
        case run, step, job, jobEnds, external, externalEnds, waiting, waitingEnds
        case sleep(Int)
        case limit(Int)
        case wake(Int)
        case advance(Int)
    }

    /// Sleepers have their seconds as identifiers.
    private func next(after steps: [Step]) -> Duration? {
        var state = ClockState<Int>()
        for step in steps {
            switch step {
            case .run: state.runs += 1
            case .step: state.steps += 1
            case .job: state.countJob(1)
            case .jobEnds: state.countJob(-1)
            case .external: state.count(.external, 1)
            case .externalEnds: state.count(.external, -1)
            case .waiting: state.count(.waiting, 1)
            case .waitingEnds: state.count(.waiting, -1)
            case .sleep(let time): _ = state.add(sleeper(time, false), time)
            case .limit(let time): _ = state.add(sleeper(time, true), time)
            case .wake(let time): _ = state.remove(time)
            case .advance(let time): _ = state.advance(to: .init(offset: .seconds(time)))
            }
        }
        return state.next?.offset
    }

    private func sleeper(_ time: Int, _ isLimit: Bool) -> ClockState<Int>.Sleeper {
        .init(deadline: .init(offset: .seconds(time)), isLimit: isLimit, continuation: time)
    }

    @Test(
        "TestClock.run moves to the nearest deadline when no task runs and one waits for the clock",
        arguments: [
            ([.sleep(5)], nil), ([.run], nil), ([.run, .sleep(5)], 5), ([.step, .sleep(5)], 5),
            ([.run, .sleep(5), .sleep(3)], 3), ([.run, .sleep(5), .limit(3)], 3),
            ([.run, .limit(3)], nil), ([.run, .limit(3), .waiting], 3),
            ([.run, .limit(3), .waiting, .waitingEnds], nil),
            ([.run, .waiting], nil), ([.run, .sleep(5), .limit(3), .wake(5)], nil),
            ([.run, .sleep(5), .limit(3), .wake(3)], 5),
            ([.run, .sleep(5), .job], nil), ([.run, .sleep(5), .job, .jobEnds], 5),
            ([.run, .sleep(5), .external], nil), ([.run, .sleep(5), .external, .externalEnds], 5),
            ([.run, .sleep(5), .limit(3), .advance(3)], 5), ([.run, .sleep(5), .limit(7), .advance(5)], nil),
            ([.run, .advance(5), .sleep(5)], nil),
        ] as [([Step], Int?)])
    func rule(_ steps: [Step], _ seconds: Int?) {
        #expect(next(after: steps) == seconds.map { .seconds($0) })
    }

    @Test(
        "Sleepers of a TestClock wake in the order of deadline and start; the clock never goes back")
    func due() {
        var state = ClockState<Int>()
        for (id, time) in [(1, 3), (2, 1), (3, 3), (4, 9)] { _ = state.add(sleeper(time, id == 2), id) }
        #expect(state.advance(to: .init(offset: .seconds(3))) == [1, 3, 3])
        #expect(state.sleepers.keys.sorted() == [4])
        #expect(state.advance(to: .init()).isEmpty)
        #expect(state.now.offset == .seconds(3))
    }
}
