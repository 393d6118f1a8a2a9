import AsyncNet
import AsyncNetTestSupport
import Foundation
import Testing

/// The network of one test with ``RecordedNetwork``: what it replays, and what it records.
struct NetworkOfRecording {
    /// The reason why there is no network for the test.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let settings: RecordedNetwork.Settings
    private let file: URL
    private let scope: NetworkScope
    /// The exchanges of the file; `nil` if it is not replayed.
    private let recorded: Recording?
    private let replay: ReplayTransport?
    private let recorder: RecordingTransport?

    init(_ settings: RecordedNetwork.Settings, _ test: Test, _ testCase: Test.Case?) throws {
        self.settings = settings
        let environment = settings.environment ?? ProcessInfo.processInfo.environment
        let decision = try RecordingDecision(trait: settings.mode, environment: environment)
        let arguments = try Self.arguments(of: testCase, settings.path.text)
        file = settings.path.file(for: test.name, arguments)
        let exists = FileManager.default.fileExists(atPath: file.path)
        let replays = decision.mode == .none || exists && decision.mode != .all
        try RecordedFiles.enter(
            file, settings.path.text, by: (["\(test.id)"] + arguments).joined(separator: " "),
            isRecording: !replays || decision.mode == .new)
        guard exists || !replays else {
            let advice = decision.advice(for: String(test.name.prefix { $0 != "(" }))
            throw Failure(description: "There is no recording at \(file.path). \(advice)")
        }
        let scope = NetworkScope(sourceLocation: settings.sourceLocation)
        self.scope = scope
        let network: any Transport = ScopedTransport.current ?? AutomaticTransport()
        recorder = replays && decision.mode != .new ? nil : RecordingTransport(over: network)
        recorded = replays ? try Self.read(file) : nil
        replay = recorded.map { [file, recorder] recorded in
            ReplayTransport(
                recorded, file: file, matching: settings.matching, pace: settings.pace, reusesLast: false,
                format: settings.format, fallback: recorder
            ) { scope.report(.init(text: $0.description)) }
        }
    }

    private static func read(_ file: URL) throws(Failure) -> Recording {
        do throws(AsyncNetError) { return try Recording(contentsOf: file) } catch {
            throw Failure(description: "The recording \(file.path) cannot be replayed: \(error.message)")
        }
    }

    private static func arguments(of testCase: Test.Case?, _ path: String) throws(Failure) -> [String] {
        guard let testCase, path.contains("{test}") || path.contains("{argument}") else { return [] }
        if let texts = testCase.argumentTexts { return texts }
        throw Failure(
            description:
                "This version of Swift Testing hides the arguments of the test, so \(path) has no name for them")
    }

    /// Runs the test, then writes what was recorded and reports what was not used.
    func run(
        _ test: Test, _ testCase: Test.Case?, _ function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let transport: (any Transport)? = replay ?? recorder
        guard let transport else { return }
        let outcome = TestOutcome()
        try await scope.run(transport) {
            try await outcome.observe(test, testCase, function)
        }
        if outcome.isSuccess { write() } else { tellUnwritten() }
        reportUnused()
    }

    private var hasNews: Bool { recorder.map { replay == nil || !$0.recording.exchanges.isEmpty } ?? false }

    private func write() {
        guard hasNews, let recorder else { return }
        let all = (recorded?.exchanges ?? []) + recorder.recording.exchanges
        do { try Recording(all).write(to: file, as: settings.format) } catch {
            scope.record(.init(text: "The recording \(file.path) could not be written: \(error)"))
        }
    }

    private func tellUnwritten() {
        guard hasNews else { return }
        let text = "\(settings.path.text) was not written, since the test has failed or was cancelled"
        scope.record(.init(text: text, isFailure: false))
    }

    private func reportUnused() {
        guard settings.unused != .allow, let unused = replay?.unused, !unused.isEmpty else { return }
        let lines = unused.prefix(20).map { "- \($0)" } + (unused.count > 20 ? ["- and \(unused.count - 20) more"] : [])
        let title = unused.count == 1 ? "1 exchange" : "\(unused.count) exchanges"
        let text = """
            The test has not requested \(title) of \(settings.path.text):
            \(lines.joined(separator: "\n"))
            Record again with ASYNCNET_RECORD=all, or allow it with unused: .allow
            """
        scope.record(.init(text: text, isFailure: settings.unused == .fail))
    }
}
