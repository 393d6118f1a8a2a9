/// The running requests that the current task works for: a session that finishes still sends what they need.
///
/// All tasks that a request's code makes, such as the task of a token refresh, inherit the request's purpose. The
/// purpose ends with the request, so a task that outlives the request sends nothing in a session that finishes.
final class Purpose: Sendable {
    @TaskLocal static var current: Purpose?

    private struct State {
        var isOver = false
        /// The purposes of other requests that the work is done for: they wait for the same token refresh.
        var others: [Purpose] = []
    }

    private let session: ObjectIdentifier?
    private let state: Locked<State>

    /// - Parameters:
    ///   - session: The environment of the session that may still send requests for this purpose alone; `nil` for no
    ///     session.
    ///   - other: The purpose that this purpose serves; kept while it is not over.
    init(in session: ObjectIdentifier? = nil, for other: Purpose? = nil) {
        self.session = session
        state = Locked(State(others: other.map { $0.isOver ? [] : [$0] } ?? []))
    }

    func join(_ other: Purpose) {
        guard other !== self, !other.isOver else { return }
        // Not under the lock: `isOver` takes the other purpose's lock, and that purpose may join this one meanwhile.
        let over = state.withLock { $0.others }.filter { $0.isOver }
        state.withLock { state in
            state.others.removeAll { kept in kept === other || over.contains { $0 === kept } }
            state.others.append(other)
        }
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

    func isNeeded(in session: ObjectIdentifier) -> Bool {
        // Purposes may form a circle: two refreshes may wait for each other's requests.
        var (seen, open) = (Set<ObjectIdentifier>(), [self])
        while let purpose = open.popLast() {
            guard seen.insert(ObjectIdentifier(purpose)).inserted else { continue }
            let (isOver, others) = purpose.state.withLock { ($0.isOver, $0.others) }
            guard !isOver else { continue }
            if purpose.session == session { return true }
            open += others
        }
        return false
    }
}
