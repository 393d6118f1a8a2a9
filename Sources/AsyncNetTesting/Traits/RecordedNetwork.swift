import AsyncNet
public import AsyncNetTestSupport
import Foundation
public import Testing

/// A trait that records the requests of a test, or of each test of a suite, and replays them from then on.
///
///     @Test(.recordedNetwork("fixtures/users.har"))
///     func loadsUsers() async throws {
///         let users = try await Session().request("https://api.example.com/users").serializing([User].self).value
///         ...
///     }
///
/// The first run has no file: requests go to the network, and when the test has succeeded, the file is written, in HAR
/// 1.2, without secrets; see ``RecordingFormat``. All other runs replay the file and need no network:
/// ``RecordingMode`` tells how to record again. A failed or cancelled test writes nothing, so that a good recording
/// stays. The file is written whole or not at all, and its folder is made.
///
/// A relative path is beside the source file of the trait. In the path, `{test}` stands for the name of the test, with
/// its arguments if it has parameters, and `{argument}` for the arguments. Tests may share a file: the first that runs
/// records it, the others wait for that and replay it, and each has all its exchanges. So a suite's trait, or that of a
/// parameterized test, needs `{test}` or `{argument}` if the tests send different requests.
///
/// While a file is replayed, each exchange is used once, in the order of the recording. A request without an exchange
/// ends with `.unsupportedByTransport`, and is an issue of its test that shows the nearest exchange and the
/// differences. It goes neither to the network nor to the network of an outer trait, except by ``RecordingMode/new``.
/// What is recorded comes from the outer trait if there is one, else from the network. Which requests are the test's is
/// described at ``StubbedNetwork``.
public struct RecordedNetwork: TestTrait, SuiteTrait, TestScoping {
    struct Settings: Sendable {
        var path: RecordingPath
        var matching: [RequestMatcher]
        var unused: UnusedExchanges
        var mode: RecordingMode
        var pace: ReplayPace
        var format: RecordingFormat
        var sourceLocation: SourceLocation
        /// The environment variables; `nil` for those of the process.
        var environment: [String: String]?
    }

    var settings: Settings

    /// Each test of a suite has the exchanges for itself.
    public var isRecursive: Bool { true }

    /// Runs a test with the recorded network. If the network cannot be made, since the file is missing for example, the
    /// test does not run, and the reason is an issue of the test.
    @concurrent
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        do { try await run(test, testCase, function) } catch let refusal as Refusal {
            Issue.record("\(refusal.reason)", sourceLocation: settings.sourceLocation)
        }
    }

    /// Why the test cannot run.
    private struct Refusal: Error {
        let reason: any Error
    }

    private func run(
        _ test: Test, _ testCase: Test.Case?, _ function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let (decision, file) = try refusing {
            let environment = settings.environment ?? ProcessInfo.processInfo.environment
            let decision = try RecordingDecision(trait: settings.mode, environment: environment)
            return (decision, try NetworkOfRecording.file(of: settings, test, testCase))
        }
        guard decision.mode != .none else {
            let network = try refusing { try NetworkOfRecording(settings, decision, file, writer: nil, test) }
            _ = try await network.run(test, testCase, function)
            return
        }
        try await record(decision, file, test, testCase, function)
    }

    /// Keeps other tests from the file until it is written, or until it is known that it is only replayed.
    private func record(
        _ decision: RecordingDecision, _ file: URL, _ test: Test, _ testCase: Test.Case?,
        _ function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let files = RecordedFiles.shared
        let writer: String?
        do { writer = try await files.begin(file) } catch { throw Refusal(reason: error) }
        var (hasWritten, isHeld) = (false, true)
        defer { if isHeld { files.end(file, writer: hasWritten ? "\(test.id)" : nil) } }
        let network = try refusing { try NetworkOfRecording(settings, decision, file, writer: writer, test) }
        if !network.records {
            files.end(file, writer: nil)
            isHeld = false
        }
        hasWritten = try await network.run(test, testCase, function)
    }

    private func refusing<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw Refusal(reason: error) }
    }
}

/// What becomes of exchanges that a test has not requested.
public enum UnusedExchanges: Hashable, Sendable {
    /// Unused exchanges are a warning of the test, with Swift 6.3 or later; before that, they are printed.
    case warn
    /// Unused exchanges fail the test.
    case fail
    /// Unused exchanges are ignored: for tests that share a file, each of which requests only some of its exchanges.
    case allow
}

extension Trait where Self == RecordedNetwork {
    /// Records the requests of the test in a HAR file, and replays them from then on.
    ///
    /// - Parameters:
    ///   - path: The file. A relative path is beside the test's source file; `{test}` and `{argument}` stand for the
    ///     test's name and arguments.
    ///   - matching: What a request and a recorded request must have in common.
    ///   - unused: What becomes of exchanges that the test has not requested.
    ///   - mode: Whether the test records or replays; the environment may decide otherwise.
    ///   - pace: How fast responses are replayed. If the session's clock is a ``TestClock``, that measures the delays.
    ///   - format: What is written to the file, and what is redacted.
    ///   - sourceFile: The test's source file.
    ///   - sourceLocation: Where issues are reported.
    public static func recordedNetwork(
        _ path: String, matching: [RequestMatcher] = RequestMatcher.standard, unused: UnusedExchanges = .warn,
        mode: RecordingMode = .once, pace: ReplayPace = .immediate, format: RecordingFormat = .standard,
        sourceFile: String = #filePath, sourceLocation: SourceLocation = #_sourceLocation
    ) -> Self {
        RecordedNetwork(
            settings: .init(
                path: RecordingPath(text: path, sourceFile: sourceFile), matching: matching, unused: unused, mode: mode,
                pace: pace, format: format, sourceLocation: sourceLocation))
    }
}
