import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The queues on which FoundationNetworking reads the sockets of AsyncNet's sessions.
///
/// These queues share one thread with everything else that FoundationNetworking does in the process, and a queue keeps
/// the thread as long as its socket has data. Starts, cancels and timers of all sessions wait meanwhile, forever if a
/// server sends the body of a redirect, or trailers, faster than they are processed. Suspending these queues lets the
/// other work run; bytes that arrive meanwhile stay in the sockets.
enum SocketQueues {
    /// A suspended queue must not be released: it is retained here, and by the caller of `suspended(_:)`.
    private static let known = Locked<[ObjectIdentifier: Queues]>([:])

    private struct Queues: Sendable {
        let sockets: DispatchQueue
        let work: DispatchQueue
    }

    static func add(_ session: URLSession) {
        guard let sockets = FoundationInternals.socketQueue(of: session),
            let work = FoundationInternals.workQueue(of: session)
        else { return }
        known.withLock { $0[ObjectIdentifier(session)] = Queues(sockets: sockets, work: work) }
    }

    /// Invalidates a session and returns when FoundationNetworking has finished its work for it. All tasks of the
    /// session must have ended.
    static func retire(_ session: URLSession) {
        let queues = known.withLock { $0.removeValue(forKey: ObjectIdentifier(session)) }
        suspended { queues?.work.sync { FoundationInternals.removeCallbacks(of: session) } }
        session.finishTasksAndInvalidate()
        suspended { queues?.work.sync {} }
    }

    /// Runs `work`, which waits for FoundationNetworking's thread, while the queues are suspended.
    static func suspended(_ work: () -> Void) {
        let sessions = known.withLock { $0 }
        for queues in sessions.values { queues.sockets.suspend() }
        defer { for queues in sessions.values { queues.sockets.resume() } }
        work()
    }

    /// Runs `work` on FoundationNetworking's thread, when the tasks that were resumed before have been started.
    static func afterStart(of session: URLSession, _ work: @escaping @Sendable () -> Void) {
        guard let queue = known.withLock({ $0[ObjectIdentifier(session)]?.work }) else { return }
        queue.async(execute: work)
    }

    /// Runs `work` on FoundationNetworking's thread, after all other work that waits for the thread. `false` if the
    /// queues are not known.
    static func runAfterWaitingWork(_ work: () -> Void) -> Bool {
        guard let queue = known.withLock({ $0.values.first?.work }) else { return false }
        suspended { queue.sync(execute: work) }
        return true
    }
}
