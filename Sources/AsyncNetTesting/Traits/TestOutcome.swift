import AsyncNet
import Testing

/// Whether a test has failed so far. A test's function does not tell: Swift Testing catches its errors.
final class TestOutcome: Sendable {
    private let hasFailed = Locked(false)

    /// Runs the test, and notes each issue that fails it.
    func observe(
        _ test: Test, _ testCase: Test.Case?, _ function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let trait: IssueHandlingTrait = .compactMapIssues { [self] issue in
            if Self.isFailure(issue) { hasFailed.withLock { $0 = true } }
            return issue
        }
        try await trait.provideScope(for: test, testCase: testCase, performing: function)
    }

    /// Whether the test has neither failed nor been cancelled.
    var isSuccess: Bool { !Task.isCancelled && !hasFailed.withLock { $0 } }

    private static func isFailure(_ issue: Issue) -> Bool {
        #if compiler(>=6.3)
            issue.isFailure
        #else
            true
        #endif
    }
}
