import AsyncNetTestSupport
import Foundation
import Testing

@testable import AsyncNetTesting

/// In which test a finding becomes an issue.
@Suite("NetworkScope", .timeLimit(.minutes(5)))
struct NetworkScopeTests {
    private let place = #_sourceLocation

    @Test("A report from a detached task is an issue of the test that the scope belongs to")
    func detached() async throws {
        let scope = NetworkScope(sourceLocation: place)
        let found = try await issues {
            try await scope.run(StubTransport()) {
                await Task.detached {
                    #expect(Test.current == nil)
                    scope.report(.init(text: "found"))
                }.value
            }
        }
        #expect(found.map(\.text) == ["found"])
        #expect(found.first?.sourceLocation == place)
    }

    @Test("A report from a thread is an issue of the test that the scope belongs to")
    func thread() async throws {
        let scope = NetworkScope(sourceLocation: place)
        let found = try await issues {
            try await scope.run(StubTransport()) {
                await withCheckedContinuation { continuation in
                    Thread {
                        scope.report(.init(text: "found"))
                        continuation.resume()
                    }.start()
                }
            }
        }
        #expect(found.map(\.text) == ["found"])
    }

    @Test("A report from a task of the test is recorded at once")
    func atOnce() async throws {
        let scope = NetworkScope(sourceLocation: place)
        try await scope.run(StubTransport()) {
            let found = try await issues {
                scope.report(.init(text: "a"))
                await Task { scope.report(.init(text: "b")) }.value
                // In the scope of a trait inside.
                try await NetworkScope(sourceLocation: place).run(StubTransport()) { scope.report(.init(text: "c")) }
            }
            #expect(found.map(\.text) == ["a", "b", "c"])
        }
    }

    @Test("A report after the test is ignored")
    func late() async throws {
        let scope = NetworkScope(sourceLocation: place)
        try await scope.run(StubTransport()) {}
        await Task.detached { scope.report(.init(text: "late")) }.value
    }

    @Test("A report that is not a failure is recorded as a warning")
    func warning() async throws {
        let scope = NetworkScope(sourceLocation: place)
        let found = try await issues { scope.record(.init(text: "a", isFailure: false)) }
        #if compiler(>=6.3)
            #expect(found.map(\.severity) == [.warning])
        #endif
    }
}
