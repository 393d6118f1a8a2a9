import AsyncNet
import Testing

/// The issues that a body records in the current test, which do not fail the test.
func issues(of body: () async throws -> Void) async throws -> [Issue] {
    let found = Locked<[Issue]>([])
    try await withKnownIssue(isIntermittent: true) {
        try await body()
    } matching: { issue in
        found.withLock { $0.append(issue) }
        return true
    }
    return found.withLock { $0 }
}

/// The issues that a body records. Traits inside the body see them as failures; the current test does not get them.
func failures(of body: @concurrent @Sendable () async throws -> Void) async throws -> [Issue] {
    let found = Locked<[Issue]>([])
    let trait: IssueHandlingTrait = .compactMapIssues { issue in
        found.withLock { $0.append(issue) }
        return nil
    }
    try await withTrait(trait, body)
    return found.withLock { $0 }
}

extension Issue {
    var text: String { comments.map(\.rawValue).joined(separator: "\n") }
}

/// Runs a body in the scope of a trait, as Swift Testing runs a test.
func withTrait(_ trait: some Trait & TestScoping, _ body: @concurrent @Sendable () async throws -> Void) async throws {
    guard let test = Test.current else { return }
    try await trait.provideScope(for: test, testCase: Test.Case.current, performing: body)
}
