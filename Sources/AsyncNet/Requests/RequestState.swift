/// Where a request stands.
public enum RequestState: Hashable, Sendable {
    /// Made, not started; nothing was sent.
    case initialized
    /// Started: waiting, sending or receiving.
    case resumed
    /// Held back until `resume()`.
    case suspended
    /// Over, with a response or an error. Terminal.
    case finished
    /// Over by cancellation. Terminal.
    case cancelled
}

/// The life of a request as a value: what each event does in each state, without I/O or concurrency.
///
///     initialized ──resume──▶ resumed ◀─suspend/resume─▶ suspended
///          │ └──suspend──▶ suspended      (not started: the first resume starts it)
///          └── cancel or finish from any of these ──▶ cancelled | finished
///
/// Terminal states never change, so whoever ends the request first decides the outcome, and `attempts` only grows.
struct RequestStateMachine: Equatable {
    enum ResumeAction: Equatable {
        /// The first resume: begin the transfer.
        case start
        /// It was held back: let it go on.
        case proceed
        case none
    }

    private(set) var state = RequestState.initialized
    private(set) var hasStarted = false
    private(set) var attempts = 0

    var isTerminal: Bool { state == .finished || state == .cancelled }

    mutating func resume() -> ResumeAction {
        guard state == .initialized || state == .suspended else { return .none }
        state = .resumed
        defer { hasStarted = true }
        return hasStarted ? .proceed : .start
    }

    /// Whether this held the request back.
    mutating func suspend() -> Bool {
        guard state == .initialized || state == .resumed else { return false }
        state = .suspended
        return true
    }

    /// The number of the attempt that begins, from 1; `nil` if the request is over.
    mutating func beginAttempt() -> Int? {
        guard !isTerminal else { return nil }
        attempts += 1
        return attempts
    }

    /// Whether this ended the request.
    mutating func end(as terminal: RequestState) -> Bool {
        guard !isTerminal, terminal == .finished || terminal == .cancelled else { return false }
        state = terminal
        return true
    }
}
