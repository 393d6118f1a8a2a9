import AsyncNet
import AsyncNetTestSupport
import Foundation
import Testing

/// The network of one test case by one trait: what the trait found wrong becomes issues of that test.
///
/// Swift Testing knows the current test by task-local values. A request usually runs in a task that has them; then an
/// issue is recorded at once. A detached task has none, so its issues are collected, and recorded by the test's own
/// task when the test's function has returned.
final class NetworkScope: Sendable {
    /// The innermost scope of the current task.
    @TaskLocal static var current: NetworkScope?

    private struct State {
        var isOver = false
        var collected: [Finding] = []
    }

    /// What a trait found wrong, before it is recorded as an issue: an error if `isFailure`, else a warning.
    struct Finding: Sendable {
        var text: String
        var isFailure = true
    }

    /// The stub of the trait, if that has one.
    let stub: StubTransport?
    /// The file that the trait records or replays, if any.
    let file: URL?
    private let outer: NetworkScope?
    private let sourceLocation: SourceLocation
    private let state = Locked(State())

    /// - Parameter sourceLocation: That of the trait, where issues are reported.
    init(stub: StubTransport? = nil, file: URL? = nil, sourceLocation: SourceLocation) {
        (self.stub, self.file, self.sourceLocation, outer) = (stub, file, sourceLocation, Self.current)
    }

    /// Runs the test with this transport in place of the automatic one, then records the issues that were collected.
    func run(_ transport: any Transport, _ function: @concurrent @Sendable () async throws -> Void) async throws {
        let scoped = ScopedTransport(transport)
        defer {
            scoped.close(Self.over)
            endCollecting()
        }
        try await Self.$current.withValue(self) {
            try await ScopedTransport.$current.withValue(scoped) { try await function() }
        }
    }

    private static let over = AsyncNetError(
        .transportUnavailable,
        "The test that made the request has ended, and so has the network that its trait gave it")

    /// Makes an issue of a finding; ignores it when the test is over, since the request then ends with an error.
    func report(_ finding: Finding) {
        guard !isCurrent else { return record(finding) }
        state.withLock { state in
            if !state.isOver { state.collected.append(finding) }
        }
    }

    /// The scopes of the current task, the innermost first.
    static var all: some Sequence<NetworkScope> {
        sequence(state: current) { scope in
            defer { scope = scope?.outer }
            return scope
        }
    }

    /// Whether the current task belongs to the test.
    private var isCurrent: Bool { Self.all.contains { $0 === self } }

    private func endCollecting() {
        let collected = state.withLock { state in
            state.isOver = true
            defer { state.collected = [] }
            return state.collected
        }
        for finding in collected { record(finding) }
    }

    /// Records the finding as an issue of the test that the current task runs.
    func record(_ finding: Finding) {
        #if compiler(>=6.3)
            Issue.record(
                "\(finding.text)", severity: finding.isFailure ? .error : .warning, sourceLocation: sourceLocation)
        #else
            if finding.isFailure {
                Issue.record("\(finding.text)", sourceLocation: sourceLocation)
            } else {
                print(finding.text)
            }
        #endif
    }
}
