/// Whether ``RecordedNetwork`` records or replays.
///
/// The environment variable `ASYNCNET_RECORD`, with one of these names, replaces the mode of every trait, so that one
/// command records a whole suite again; only a trait with `none` keeps its mode, so that a file made by hand is never
/// overwritten. With `CI` set, to anything but an empty text, `0` or `false`, every mode is `none`.
public enum RecordingMode: String, CaseIterable, Hashable, Sendable {
    /// Replays. A missing file fails the test.
    case none
    /// Replays the file, and records the test if it has no file.
    case once
    /// Replays the file, and records the requests that it has no exchange for: they are added to the file.
    case new
    /// Records, and replaces the file: once in a run of the tests, after which the file is replayed.
    case all
}

/// The mode of a test, by its trait and the environment.
struct RecordingDecision: Equatable, Sendable {
    /// Why nothing is recorded.
    enum Cause: Equatable, Sendable {
        case ci, environment, trait
    }

    /// The value of `ASYNCNET_RECORD` is no mode.
    struct UnknownMode: Error, CustomStringConvertible {
        let text: String

        var description: String {
            let modes = RecordingMode.allCases.map(\.rawValue).joined(separator: ", ")
            return "The environment variable ASYNCNET_RECORD is \"\(text)\"; it must be one of \(modes)"
        }
    }

    var mode: RecordingMode
    /// Set if the mode is `none`.
    var cause: Cause?

    init(trait: RecordingMode, environment: [String: String]) throws(UnknownMode) {
        let (text, ci) = (environment["ASYNCNET_RECORD"] ?? "", environment["CI"]?.lowercased() ?? "")
        let wanted = RecordingMode(rawValue: text.lowercased())
        guard wanted != nil || text.isEmpty else { throw UnknownMode(text: text) }
        mode = trait == .none ? .none : wanted ?? trait
        if mode == .none { cause = trait == .none ? .trait : .environment }
        if !["", "0", "false"].contains(ci) { (mode, cause) = (.none, cause ?? .ci) }
    }

    /// What to do about a missing file.
    func advice(for test: String) -> String {
        let command = "ASYNCNET_RECORD=once swift test --filter \(test)"
        return switch cause {
        case .trait:
            "The test's trait has mode: .none, which never records: add the file, or remove the mode for one run"
        case .ci: "Nothing is recorded while CI is set: run \(command) without it, and commit the file"
        case .environment, nil: "To record the file, run \(command), and commit the file"
        }
    }
}
