import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("Events of a session", .timeLimit(.minutes(5)))
struct EventMonitorTests {
    @Test("Observers get these steps, in this order, and the end once", arguments: EventScenario.all)
    func steps(_ scenario: EventScenario) async throws {
        let recorder = try await scenario.observe()
        #expect(recorder.requestIDs.count == scenario.steps.count)
        for (index, steps) in scenario.steps.enumerated() {
            #expect(recorder.steps(ofRequest: index).joined(separator: ", ") == steps)
        }
    }
}
