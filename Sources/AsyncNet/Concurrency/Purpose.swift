import Synchronization

/// Whose work the current task does: a session that finishes still sends what its running requests need.
///
/// The task of a request has a purpose, which all tasks inherit that its code makes: that of a token refresh, of an adapter
/// that sends a request of its own. It is over with the request, so a task that lives on sends nothing more.
final class Purpose: Sendable {
    @TaskLocal static var current: Purpose?

    private struct State {
        var isOver = false
        /// For whom else the work is done: the requests that wait for one token refresh.
        var others: [Purpose] = []
    }

    private let session: ObjectIdentifier?
    private let state: Locked<State>

    /// - Parameters:
    ///   - session: The environment of the session in which this purpose alone is a reason to send requests; `nil` for none.
    ///   - other: For what the work is done in turn; kept only while that is not over.
    init(in session: ObjectIdentifier? = nil, for other: Purpose? = nil) {
        self.session = session
        state = Locked(State(others: other.map { $0.isOver ? [] : [$0] } ?? []))
    }

    /// The work is also done for another purpose.
    func join(_ other: Purpose) {
        guard other !== self else { return }
        state.withLock { $0.others.append(other) }
    }

    func end() {
        let others = state.withLock { state in
            state.isOver = true
            defer { state.others = [] }
            return state.others
        }
        _ = others
    }

    private var isOver: Bool { state.withLock { $0.isOver } }

    /// Whether a running request of this session needs the work.
    func isNeeded(in session: ObjectIdentifier) -> Bool {
        let (isOver, others) = state.withLock { ($0.isOver, $0.others) }
        guard !isOver else { return false }
        return self.session == session || others.contains { $0.isNeeded(in: session) }
    }
}
