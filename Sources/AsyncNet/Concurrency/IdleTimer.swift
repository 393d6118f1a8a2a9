import Synchronization

protocol IdleWatched: AnyObject, Sendable {
    /// Whether time does not count as silence now, such as while the reader is busy.
    var isHeldBack: Bool { get }
    /// Called once there has been no activity for the timeout. The function must not block. The timer may have been
    /// stopped meanwhile.
    func wasIdle(_ timer: IdleTimer, for timeout: Duration)
}

/// Calls the object that it watches once there has been no activity for the timeout. Paused while the reader is slower
/// than the network, and while the watched object is held back.
///
/// `touch` is an atomic store, so it may be called for every chunk: the timer looks at the time of the last activity
/// when it is due, and moves to that time plus the timeout. Between `start` and `stop` the queue holds the timer, and
/// so the object that it watches.
final class IdleTimer: Sendable {
    private let timers: TimerQueue
    private let timeout: Duration
    private let watched: any IdleWatched
    /// Nanoseconds of the session's clock; `Int64.max` while paused.
    private let lastActivity: Atomic<Int64>
    private let timer = Locked<TimerQueue.Timer?>(nil)

    init(_ timers: TimerQueue, timeout: Duration, watching watched: any IdleWatched) {
        (self.timers, self.watched) = (timers, watched)
        self.timeout = min(max(timeout, .zero), .longestWait)
        lastActivity = Atomic(timers.time.now.wholeNanoseconds)
    }

    func start() {
        let due = Duration.nanoseconds(lastActivity.load(ordering: .relaxed)) + timeout
        let scheduled = timers.schedule(at: due, self)
        timer.withLock { $0 = scheduled }
    }

    func touch() { lastActivity.store(timers.time.now.wholeNanoseconds, ordering: .relaxed) }
    /// Starts the timeout again, unless the timer is paused.
    func restart() {
        if lastActivity.load(ordering: .relaxed) != .max { touch() }
    }

    func pause() { lastActivity.store(.max, ordering: .relaxed) }

    func stop() {
        if let timer = timer.withLock({ $0.take() }) { timers.cancel(timer) }
    }
}

extension IdleTimer: TimerTarget {
    func timerIsDue() -> Duration? {
        let now = timers.time.now
        if watched.isHeldBack { restart() }
        let last = lastActivity.load(ordering: .relaxed)
        let due = last == .max ? now + timeout : .nanoseconds(last) + timeout
        guard due <= now else { return due }
        watched.wasIdle(self, for: timeout)
        return nil
    }
}

extension Duration {
    /// A century: longer sleeps overflow the clocks.
    static let longestWait = Duration.seconds(3_155_760_000)

    package var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let whole = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return whole.overflow ? .max - 1 : whole.partialValue + attoseconds / 1_000_000_000
    }
}
