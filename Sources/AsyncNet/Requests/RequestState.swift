public import Synchronization

/// Whether a request is new, running, suspended or over.
public enum RequestState: UInt8, Hashable, Sendable, AtomicRepresentable {
    /// Not started: nothing was sent.
    case initialized
    /// Started: waiting, sending or receiving.
    case resumed
    /// Suspended until `resume()`.
    case suspended
    /// Ended with a response or an error. Terminal.
    case finished
    /// Cancelled. Terminal.
    case cancelled

    var isTerminal: Bool { self == .finished || self == .cancelled }
}

/// The states of a request, and the transition for each event, without I/O or concurrency.
///
///     initialized ──resume──▶ resumed ◀─suspend/resume─▶ suspended
///          │ └──suspend──▶ suspended      (not started: the first resume starts it)
///          └── cancel or finish from any of these ──▶ cancelled | finished
///
/// A terminal state never changes, so the first end of a request decides its outcome.
struct RequestStateMachine: Equatable {
    enum ResumeAction: Equatable {
        /// The first resume: start the request.
        case start
        /// A suspended request that had started continues.
        case proceed
        case none
    }

    private(set) var state = RequestState.initialized
    private(set) var hasStarted = false
    /// Whether the request's last step is done, such as a download's move to its place: a cancel has no effect then.
    var isSettled = false

    var isTerminal: Bool { state.isTerminal }

    mutating func resume() -> ResumeAction {
        guard state == .initialized || state == .suspended else { return .none }
        state = .resumed
        defer { hasStarted = true }
        return hasStarted ? .proceed : .start
    }

    /// - Returns: Whether the request is suspended by this call.
    mutating func suspend() -> Bool {
        guard state == .initialized || state == .resumed else { return false }
        state = .suspended
        return true
    }

    /// - Returns: Whether this call ended the request.
    mutating func end(as terminal: RequestState) -> Bool {
        guard !isTerminal, terminal == .finished || terminal == .cancelled else { return false }
        state = terminal
        return true
    }
}
