import Testing

@testable import AsyncNet

@Suite("Request state machine", .timeLimit(.minutes(5)))
struct RequestStateMachineTests {
    @Test("The first resume starts the request, even after a suspend, and later ones continue it")
    func resuming() {
        var machine = RequestStateMachine()
        #expect(machine.state == .initialized)
        #expect(machine.resume() == .start)
        #expect(machine.resume() == .none)
        let (first, second) = (machine.suspend(), machine.suspend())
        #expect(first && !second)
        #expect(machine.resume() == .proceed)

        var other = RequestStateMachine()
        _ = other.suspend()
        #expect(other.resume() == .start)
    }

    @Test("A finished or cancelled state does not change", arguments: [RequestState.finished, .cancelled])
    func terminal(_ end: RequestState) {
        var machine = RequestStateMachine()
        _ = machine.resume()
        let ends = [machine.end(as: end), machine.end(as: .finished), machine.end(as: .cancelled)]
        #expect(ends == [true, false, false])
        #expect(machine.resume() == .none)
        let isSuspended = machine.suspend()
        #expect(!isSuspended)
        #expect(machine.state == end)
    }

    @Test("A new, running or suspended request can be ended by .cancelled, and not by .resumed")
    func ending() {
        for prepare in [{ _ in }, { _ = $0.resume() }, { _ = $0.suspend() }] as [(inout RequestStateMachine) -> Void] {
            var machine = RequestStateMachine()
            prepare(&machine)
            let (byResumed, byCancelled) = (machine.end(as: .resumed), machine.end(as: .cancelled))
            #expect(!byResumed && byCancelled)
        }
    }
}
