import AsyncNetTesting
import Testing

@testable import AsyncNet

@Suite("AwaitedState", .timeLimit(.minutes(5)))
struct AwaitedStateTests {
    @Test("A change resumes the tasks whose condition it meets, and no others")
    func change() async {
        let (state, clock) = (AwaitedState(0), TestClock())
        await state.wait { $0 == 0 }
        let one = clock.task { await state.wait { $0 >= 1 } }
        let five = clock.task { await state.wait { $0 >= 5 } }
        await clock.settled()
        #expect(state.waiterCount == 2)
        let changed = state.change { value in
            value += 1
            return value
        }
        #expect(changed == 1)
        await one.value
        #expect(state.waiterCount == 1)
        state.change { $0 = 5 }
        await five.value
        #expect(state.waiterCount == 0)
        #expect(state.read { $0 } == 5)
    }

    @Test("A task that is cancelled before or during its wait stops waiting")
    func cancelled() async {
        let (state, clock) = (AwaitedState(0), TestClock())
        let waiting = clock.task { await state.wait { $0 == 1 } }
        await clock.settled()
        #expect(state.waiterCount == 1)
        waiting.cancel()
        await waiting.value
        #expect(state.waiterCount == 0)
        let before = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await state.wait { $0 == 1 }
        }
        await before.value
        #expect(state.waiterCount == 0)
    }

    @Test("A change that throws passes its error on to the caller")
    func failure() async {
        let state = AwaitedState(0)
        let error = #expect(throws: AsyncNetError.self) {
            try state.change { _ throws(AsyncNetError) -> Void in throw AsyncNetError(.cancelled) }
        }
        #expect(error?.code == .cancelled)
    }
}
