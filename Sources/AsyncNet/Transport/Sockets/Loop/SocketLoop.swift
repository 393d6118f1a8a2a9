import CAsyncNetSockets
import Foundation
import Synchronization

/// A thread that carries many connections, as other threads see it.
///
/// Other threads post jobs, which the thread runs in order. Jobs use a ``LoopThread`` and all that it holds, under one
/// lock. The thread releases this lock only while it waits for sockets, a wait that the first job ends. If the loop has
/// no transfer, the next one begins on the thread that submits it (`guestRound`). No other thread waits for the lock,
/// unless it asks for the transport's connections.
final class SocketLoop: Sendable {
    /// A struct, since an array makes another object for each closure that is its element.
    struct Job: Sendable {
        let run: @Sendable (LoopThread) -> Void
    }

    enum Rest { case work, wait, end }

    private struct Inbox {
        var jobs: [Job] = []
        var waker: Int32?
        var isAwake = true
        var isClosing = false
        var isEnded = false
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    private let inbox = Locked(Inbox())
    private let thread = Locked<LoopThread?>(nil)
    private let transfers = Atomic(0)
    private let work = Atomic(0)

    var load: LoopDistribution.Load {
        .init(transfers: transfers.load(ordering: .relaxed), work: work.load(ordering: .relaxed))
    }

    /// The descriptor stays open as long as anyone can wake the thread: after a close, another file could have its
    /// number.
    deinit { if let waker = inbox.withLock({ $0.waker }) { an_close(waker, 0) } }

    // MARK: From any thread

    /// Runs a job: at once while the loop has no transfer and its thread waits for sockets, otherwise on that thread, which
    /// the first job starts.
    ///
    /// - Throws: ``AsyncNetError`` with code `.sessionFinished` after `close`, and `.transportFailed` if the thread
    ///   cannot start.
    func submit(_ job: @escaping @Sendable (LoopThread) -> Void) throws(AsyncNetError) {
        let waker = try inbox.withLock { inbox throws(AsyncNetError) in
            guard !inbox.isClosing else { throw AsyncNetError.transportIsShutDown }
            try start(&inbox)
            return add(Job(run: job), to: &inbox)
        }
        guard let waker else { return }
        let isDone = thread.withLockIfAvailable { $0?.guestRound() ?? false }
        if isDone != true { an_wake(waker) }
    }

    /// Runs a job on the thread, also after `close` while connections are open; otherwise drops it.
    func post(_ job: @escaping @Sendable (LoopThread) -> Void) {
        let waker = inbox.withLock { $0.isEnded ? nil : add(Job(run: job), to: &$0) }
        if let waker { an_wake(waker) }
    }

    /// Reads a value under the lock; waiting for the lock may take as long as a round. `nil` while there is no thread.
    /// The closure must not post a job.
    func read<Value: Sendable>(_ value: @Sendable (LoopThread) -> Value) -> Value? {
        thread.withLock { $0.map(value) }
    }

    func close() {
        let waker = inbox.withLock { inbox in
            inbox.isClosing = true
            if inbox.waker == nil { inbox.isEnded = true }
            return inbox.waker
        }
        if let waker { an_wake(waker) }
    }

    func waitForEnd() async {
        await withCheckedContinuation { continuation in
            let isEnded = inbox.withLock { inbox in
                if !inbox.isEnded { inbox.closers.append(continuation) }
                return inbox.isEnded
            }
            if isEnded { continuation.resume() }
        }
    }

    /// - Returns: The descriptor that wakes the thread, if it must be woken.
    private func add(_ job: Job, to inbox: inout Inbox) -> Int32? {
        inbox.jobs.append(job)
        defer { inbox.isAwake = true }
        return inbox.isAwake ? nil : inbox.waker
    }

    private func start(_ inbox: inout Inbox) throws(AsyncNetError) {
        guard inbox.waker == nil else { return }
        let poller = an_open_poller()
        let waker = poller < 0 ? -1 : an_open_waker()
        guard waker >= 0 else {
            let error = SystemError.last
            if poller >= 0 { an_close(poller, 0) }
            throw AsyncNetError(
                .transportFailed, "The thread for sockets cannot start: \(SystemError.text(error))",
                underlyingError: error)
        }
        inbox.waker = waker
        thread.withLock { $0 = LoopThread(self, poller: poller, waker: waker) }
        let thread = Thread { self.run(poller) }
        thread.name = "AsyncNet.sockets"
        thread.stackSize = 512 * 1024
        thread.start()
    }

    private func run(_ poller: Int32) {
        blockSignals()
        let room = thread.withLock { $0.map { (Int(bitPattern: $0.events.baseAddress), Int32($0.events.count)) } }
        guard let (address, capacity) = room, let events = UnsafeMutablePointer<an_event>(bitPattern: address) else {
            return
        }
        var wait: Int32? = 0
        while let timeout = wait {
            let start = timeout == 0 ? nil : ContinuousClock.now
            let count = max(0, Int(an_wait(poller, events, capacity, timeout)))
            wait = thread.withLock { $0?.round(count: count, waitedSince: start) }
        }
        thread.withLock { thread in
            thread?.end()
            thread = nil
        }
        didEnd()
    }

    /// Signals belong to the program's own threads.
    private func blockSignals() {
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
    }

    func report(transfers count: Int) { transfers.store(count, ordering: .relaxed) }
    func report(work percent: Int) { work.store(percent, ordering: .relaxed) }

    /// Called whenever the lock is taken: from here on until `rest`, a posted job needs no wake-up. So a job that is
    /// submitted under the lock never asks for the lock again, which would end the process.
    func didWake() { inbox.withLock { $0.isAwake = true } }

    func takeJobs(into jobs: inout [Job]) { inbox.withLock { swap(&$0.jobs, &jobs) } }

    func rest(isIdle: Bool) -> Rest {
        inbox.withLock { inbox in
            guard inbox.jobs.isEmpty else { return .work }
            if inbox.isClosing, isIdle { return .end }
            inbox.isAwake = false
            return .wait
        }
    }

    /// Called at the thread's end. Jobs that were posted since `rest` are dropped, outside the lock: what they release
    /// may post another.
    private func didEnd() {
        let ended = inbox.withLock { inbox in
            inbox.isEnded = true
            defer { inbox.jobs = [] }
            return (closers: inbox.closers, dropped: inbox.jobs)
        }
        for continuation in ended.closers { continuation.resume() }
    }
}

/// A reference to an object of a loop, for closures that run on other threads. Unchecked: the object is read and set
/// only under the loop's lock.
final class LoopReference<Object: AnyObject>: @unchecked Sendable {
    weak var object: Object?
    init(_ object: Object? = nil) { self.object = object }
}
