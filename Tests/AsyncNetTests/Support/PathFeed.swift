@testable import AsyncNet

/// A monitor whose paths a test decides.
final class PathFeed: Sendable {
    typealias Report = @Sendable (NetworkPath) -> Void

    private struct State {
        var path: NetworkPath?
        var reports: [Int: Report] = [:]
        var started = 0
    }

    private let state: Locked<State>

    /// - Parameter path: What is reported at once; `nil` waits for the first ``send(_:)``.
    init(_ path: NetworkPath? = nil) { state = Locked(State(path: path)) }

    var monitor: NetworkMonitor {
        NetworkMonitor { report in
            let (id, path) = self.state.withLock { state in
                state.started += 1
                state.reports[state.started] = report
                return (state.started, state.path)
            }
            if let path { report(path) }
            return Watch { self.state.withLock { _ = $0.reports.removeValue(forKey: id) } }
        }
    }

    func send(_ path: NetworkPath) {
        let reports = state.withLock { state in
            state.path = path
            return Array(state.reports.values)
        }
        for report in reports { report(path) }
    }

    /// Watches that somebody holds on to.
    var watching: Int { state.withLock { $0.reports.count } }
    /// Watches so far.
    var started: Int { state.withLock { $0.started } }

    private final class Watch: Sendable {
        let end: @Sendable () -> Void
        init(end: @escaping @Sendable () -> Void) { self.end = end }
        deinit { end() }
    }
}
