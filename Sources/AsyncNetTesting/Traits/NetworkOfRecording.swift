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

    /// The file of a test.
    static func file(of settings: RecordedNetwork.Settings, _ test: Test, _ testCase: Test.Case?) throws -> URL {
        let file = settings.path.file(for: test.name, try arguments(of: testCase, settings.path.text))
        guard !NetworkScope.all.contains(where: { $0.file == file }) else {
            throw Failure(description: "Two traits of this test have the same file, \(settings.path.text)")
        }
        return file
    }

    /// - Parameter writer: The test that has written the file in this process.
    init(
        _ settings: RecordedNetwork.Settings, _ decision: RecordingDecision, _ file: URL, writer: String?, _ test: Test
    ) throws {
        (self.settings, self.file) = (settings, file)
        let exists = FileManager.default.fileExists(atPath: file.path)
        let replays = decision.mode == .none || exists && (decision.mode != .all || writer != nil)
        guard exists || !replays else {
            let advice = decision.advice(for: String(test.name.prefix { $0 != "(" }))
            throw Failure(description: "There is no recording at \(file.path). \(advice)")
        }
        let scope = NetworkScope(file: file, sourceLocation: settings.sourceLocation)
        self.scope = scope
        let network: any Transport = ScopedTransport.current ?? AutomaticTransport()
        recorder = replays && decision.mode != .new ? nil : RecordingTransport(over: network)
        recorded = replays ? try Self.read(file) : nil
        let hint = writer.map { "\n\(settings.path.text) was recorded by \($0) just now. \(Self.share)" } ?? ""
        replay = recorded.map { [file, recorder] recorded in
            ReplayTransport(
                recorded, file: file, matching: settings.matching, pace: settings.pace, reusesLast: false,
                format: settings.format, fallback: recorder
            ) { scope.report(.init(text: $0.description + hint)) }
        }
    }

    private static let share =
        "If the tests need different exchanges, give each a file of its own, with {test} or {argument} in the path."

    /// Whether the test may write the file.
    var records: Bool { recorder != nil }

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
                "This version of Swift Testing hides the test's arguments: \(path) must have no {test} or {argument}")
    }

    /// Runs the test, then writes what was recorded and reports what was not used.
    ///
    /// - Returns: Whether the file was written.
    func run(
        _ test: Test, _ testCase: Test.Case?, _ function: @concurrent @Sendable () async throws -> Void
    ) async throws -> Bool {
        let transport: (any Transport)? = replay ?? recorder
        guard let transport else { return false }
        let outcome = TestOutcome()
        try await scope.run(transport) {
            try await outcome.observe(test, testCase, function)
        }
        let hasWritten = outcome.isSuccess && write()
        if !outcome.isSuccess { tellUnwritten() } else if replay == nil { tellIfEmpty() }
        reportUnused()
        return hasWritten
    }

    private var hasNews: Bool { recorder.map { replay == nil || !$0.recording.exchanges.isEmpty } ?? false }

    private func write() -> Bool {
        guard hasNews, let recorder else { return false }
        let all = (recorded?.exchanges ?? []) + recorder.recording.exchanges
        do throws(AsyncNetError) {
            try Recording(all).write(to: file, as: settings.format)
            return true
        } catch {
            scope.record(.init(text: "The recording \(file.path) could not be written: \(error.message)"))
            return false
        }
    }

    private func tellUnwritten() {
        guard hasNews else { return }
        let text = "\(settings.path.text) was not written, since the test has failed or was cancelled"
        scope.record(.init(text: text, isFailure: false))
    }

    private func tellIfEmpty() {
        guard recorder?.recording.exchanges.isEmpty == true else { return }
        let text = """
            \(settings.path.text) has no exchange, since no request of the test was recorded: a session with a \
            transport of its own and detached tasks use the network itself
            """
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
