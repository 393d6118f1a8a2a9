import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The queues on which FoundationNetworking reads the sockets of AsyncNet's sessions.
///
/// They share one thread with everything else that FoundationNetworking does in the process, and such a queue keeps the
/// thread for as long as its socket has data: starts, cancels and timers of every session wait, for ever with a server
/// that sends faster than redirect bodies or trailers are taken in. Suspending these queues gives the thread to the
/// others; what servers send meanwhile waits in the sockets.
enum SocketQueues {
    /// A queue that is suspended must not go away: it is held here, and by the caller of ``held(_:)``.
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

    /// Invalidates a session whose tasks have all ended, and returns when FoundationNetworking does nothing for it any
    /// more.
    static func retire(_ session: URLSession) {
        let queues = known.withLock { $0.removeValue(forKey: ObjectIdentifier(session)) }
        held { queues?.work.sync { FoundationInternals.silence(session) } }
        session.finishTasksAndInvalidate()
        held { queues?.work.sync {} }
    }

    /// Runs `work`, which waits for FoundationNetworking's thread, and keeps the sockets' queues from that thread.
    static func held(_ work: () -> Void) {
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

    /// Runs `work` on FoundationNetworking's thread, after everything that waited for the thread. `false` where its
    /// queues are not known.
    static func giveWay(_ work: () -> Void) -> Bool {
        guard let queue = known.withLock({ $0.values.first?.work }) else { return false }
        held { queue.sync(execute: work) }
        return true
    }
}
