import CAsyncNetSockets
import Foundation

/// Handles what happens on one socket that a loop watches. Used only under its loop's lock.
protocol LoopHandler: AnyObject {
    /// Called when the socket is ready, and again in the next round after `.more`. The function must return soon,
    /// whatever the peer sends: a turn takes a bounded number of bytes and of steps.
    func turn(_ readiness: Readiness, _ thread: LoopThread) -> Turn
}

struct Readiness: OptionSet {
    let rawValue: UInt32
    static let readable = Readiness(rawValue: UInt32(AN_READABLE))
    static let writable = Readiness(rawValue: UInt32(AN_WRITABLE))
}

/// Whether a handler has work left that needs no further readiness of its socket.
enum Turn {
    case done, more

    /// How many bytes a connection receives in a turn, in how many parts, such as frames, and how many bytes it sends;
    /// a duplex stream sends no more than it receives. The others of the loop wait meanwhile.
    static let received = 256 * 1024
    static let parts = 512
    static let sent = 1024 * 1024
}

/// What a loop's thread works on. Used under the lock of its ``SocketLoop`` only: by the loop's thread or, while that
/// thread waits, by a thread that has posted a job.
///
/// A round gives a turn to each socket that is ready or has work left, then runs what is due, then the jobs of the
/// inbox: so a kept connection that its peer has closed or written to is gone before a request of this round could be
/// sent on it.
final class LoopThread {
    let loop: SocketLoop
    /// The buffer into which all connections of the thread receive, so that no waiting connection holds memory. Its
    /// bytes are valid during a turn.
    let receiveBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: LoopThread.bufferSize, alignment: 64)
    /// A second buffer, for what is sent, and for ciphertext.
    let scratchBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: LoopThread.bufferSize, alignment: 64)
    static let bufferSize = 64 * 1024
    /// The events that the loop's thread gets from its wait, which it does without the lock.
    let events = UnsafeMutableBufferPointer<an_event>.allocate(capacity: 128)

    private let poller: Int32
    private let waker: Int32
    private var sockets: [LoopSocketID: WatchedSocket] = [:]
    private var lastID = LoopThread.wakerID
    private var again: [LoopSocketID] = []
    private var timers = LoopTimers()
    /// When the loop's thread ends its wait by itself.
    private var wakeUp: ContinuousClock.Instant?
    private var jobs: [SocketLoop.Job] = []
    private var outcomes: [Outcome] = []
    private var runningOutcomes: [Outcome] = []
    /// The thread's `SocketEngine`, a type of an outer room.
    var engine: AnyObject?
    /// Called at the thread's end, to release what refers to the thread.
    var onEnd: () -> Void = {}
    /// How many transfers and connections without HTTP the loop has; a closed loop ends when there are none.
    var activeCount = 0 { didSet { loop.report(transfers: activeCount) } }
    private let begin = ContinuousClock.now
    private var load = LoopLoad(at: .zero)

    /// What is done after the turns; a struct as ``SocketLoop/Job`` is.
    private struct Outcome {
        let run: () -> Void
    }

    private struct WatchedSocket {
        let handler: any LoopHandler
        var isQueued = false
    }

    private static let wakerID: LoopSocketID = 0

    init(_ loop: SocketLoop, poller: Int32, waker: Int32) {
        self.loop = loop
        self.poller = poller
        self.waker = waker
        _ = an_watch(poller, waker, Readiness.readable.rawValue, Self.wakerID, 1)
    }

    deinit {
        events.deallocate()
        receiveBuffer.deallocate()
        scratchBuffer.deallocate()
    }

    func watch(_ socket: Int32, _ handler: any LoopHandler, for readiness: Readiness) throws(AsyncNetError)
        -> LoopSocketID
    {
        lastID += 1
        let error = an_watch(poller, socket, readiness.rawValue, lastID, 1)
        guard error == 0 else {
            throw AsyncNetError(
                .transportFailed, "The system cannot watch a socket: \(SystemError.text(POSIXError(error)))")
        }
        sockets[lastID] = WatchedSocket(handler: handler)
        return lastID
    }

    /// The handlers of all watched sockets, in the order in which they were watched.
    var handlers: [any LoopHandler] { sockets.sorted { $0.key < $1.key }.map(\.value.handler) }

    func change(_ id: LoopSocketID, _ socket: Int32, to readiness: Readiness) {
        _ = an_watch(poller, socket, readiness.rawValue, id, 0)
    }

    /// Called before the socket is closed: events of this round that are meant for it are dropped.
    func unwatch(_ id: LoopSocketID, _ socket: Int32) {
        an_unwatch(poller, socket)
        sockets[id] = nil
    }

    func requeue(_ id: LoopSocketID) {
        guard sockets[id]?.isQueued == false else { return }
        sockets[id]?.isQueued = true
        again.append(id)
    }

    private(set) var now = ContinuousClock.now
    /// How often the poller was asked.
    private(set) var polls = 0

    /// - Parameter delay: The delay from the beginning of the round, at most a hundred years.
    func schedule(after delay: Duration, _ action: @escaping () -> Void) -> LoopTimers.ID {
        timers.insert(now + min(delay, .seconds(100 * 366 * 86_400)), action)
    }

    /// How many bytes the rate allows now, after `moved` bytes; if none, the timer's action runs once it allows some.
    func allowance(
        _ rate: TransferRate, after moved: Int64, _ timer: inout LoopTimers.ID?, _ action: @escaping () -> Void
    ) -> Int {
        cancel(&timer)
        switch rate.decision(after: moved, now: now) {
        case .move(let count): return count
        case .wait(let delay):
            timer = schedule(after: delay, action)
            return 0
        }
    }

    func cancel(_ timer: inout LoopTimers.ID?) { if let id = timer.take() { timers.remove(id) } }

    /// Runs the action after the turns, or the jobs, of this round. Tasks that are resumed one right after the other wake fewer of
    /// Swift's threads than tasks with a turn between them.
    func afterTurns(_ action: @escaping () -> Void) { outcomes.append(Outcome(run: action)) }

    private func runOutcomes() {
        while !outcomes.isEmpty {
            swap(&outcomes, &runningOutcomes)
            for outcome in runningOutcomes { outcome.run() }
            runningOutcomes.removeAll(keepingCapacity: true)
        }
    }

    /// - Parameter start: When the wait for the events began; `nil` if there was none.
    /// - Returns: How many milliseconds the poller waits next, -1 for any time; `nil` after the last round.
    func round(count: Int, waitedSince start: ContinuousClock.Instant?) -> Int32? {
        now = .now
        polls += 1
        loop.didWake()
        if let start, let work = load.slept(from: start - begin, to: now - begin) { loop.report(work: work) }
        let left = again
        again.removeAll(keepingCapacity: true)
        take(events[..<count])
        var (last, batches) = (count, sockets.count / events.count)
        // After a full batch more sockets may be ready, which must have their turn before the jobs; each of them once,
        // since they may be ready for ever.
        while last == events.count, batches > 0 { (last, batches) = (poll(events), batches - 1) }
        for id in left {
            sockets[id]?.isQueued = false
            take(id, [])
        }
        let wait = finishRound()
        wakeUp = timers.earliest
        return wait
    }

    /// Runs a round on the thread of a caller that has posted a job, while the loop's thread waits: to wake that thread
    /// takes longer than to send a request. Does nothing if the loop has other transfers, for which the thread will
    /// wake soon. Returns whether the thread need not be woken.
    func guestRound() -> Bool {
        guard activeCount == 0, again.isEmpty else { return false }
        loop.didWake()
        let hasRest = withUnsafeTemporaryAllocation(of: an_event.self, capacity: 8) { events in
            poll(events) == events.count
        }
        guard !hasRest, let wait = finishRound(), wait != 0 else { return false }
        return !timers.isDue(before: wakeUp)
    }

    private func poll(_ events: UnsafeMutableBufferPointer<an_event>) -> Int {
        guard let first = events.baseAddress else { return 0 }
        let count = max(0, Int(an_wait(poller, first, Int32(events.count), 0)))
        now = .now
        polls += 1
        take(events[..<count])
        return count
    }

    private func finishRound() -> Int32? {
        now = .now
        // An action may cancel another one that is due, and release what that one needs.
        for (id, action) in timers.takeAll(dueBy: now) where timers.remove(id) { action() }
        runOutcomes()
        runJobs()
        runOutcomes()
        guard again.isEmpty else { return 0 }
        switch loop.rest(isIdle: activeCount == 0) {
        case .end: return nil
        case .work: return 0
        case .wait: return timers.milliseconds(from: .now)
        }
    }

    private func runJobs() {
        loop.takeJobs(into: &jobs)
        for job in jobs { job.run(self) }
        jobs.removeAll(keepingCapacity: true)
    }

    private func take(_ events: Slice<UnsafeMutableBufferPointer<an_event>>) {
        for event in events { take(event.token, Readiness(rawValue: event.readiness)) }
    }

    private func take(_ id: LoopSocketID, _ readiness: Readiness) {
        if id == Self.wakerID { return an_clear_waker(waker) }
        guard let handler = sockets[id]?.handler, case .more = handler.turn(readiness, self) else { return }
        requeue(id)
    }

    func end() {
        onEnd()
        engine = nil
        sockets = [:]
        an_close(poller, 0)
    }
}

/// The name of a watched socket. No later socket has the same name, so that an event cannot reach another handler.
typealias LoopSocketID = UInt64
