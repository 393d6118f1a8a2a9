@testable import AsyncNet

/// A network monitor whose paths a test decides.
final class PathFeed: Sendable {
    typealias Report = @Sendable (NetworkPath) -> Void

    private struct State {
        var path: NetworkPath?
        var reports: [Int: Report] = [:]
        var started = 0
    }

    private let state: AwaitedState<State>

    /// - Parameter path: What is reported at once; `nil` waits for the first ``send(_:)``.
    init(_ path: NetworkPath? = nil) { state = AwaitedState(State(path: path)) }

    var monitor: NetworkMonitor {
        NetworkMonitor { report in
            let (id, path) = self.state.change { state in
                state.started += 1
                state.reports[state.started] = report
                return (state.started, state.path)
            }
            if let path { report(path) }
            return Watch { self.state.change { _ = $0.reports.removeValue(forKey: id) } }
        }
    }

    func send(_ path: NetworkPath) {
        let reports = state.change { state in
            state.path = path
            return Array(state.reports.values)
        }
        for report in reports { report(path) }
    }

    /// How many watches of the monitor are held.
    var watching: Int { state.read { $0.reports.count } }
    /// Returns when exactly this many watches are held, or the task is cancelled.
    func isWatched(by count: Int) async { await state.wait { $0.reports.count == count } }
    /// How many watches have begun so far.
    var started: Int { state.read { $0.started } }

    private final class Watch: Sendable {
        let end: @Sendable () -> Void
        init(end: @escaping @Sendable () -> Void) { self.end = end }
        deinit { end() }
    }
}
