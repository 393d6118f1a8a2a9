import Synchronization

/// Runs an action once there has been no activity for the timeout.
///
/// `touch` is an atomic store, so it may be called for every chunk: the timer checks the time of the last activity only
/// when it is due, and moves to that time plus the timeout. Paused while the reader is slower than the network, and
/// while `isHeldBack` returns `true`.
final class IdleTimer: Sendable {
    private let timers: TimerQueue
    private let timeout: Duration
    private let isHeldBack: @Sendable () -> Bool
    /// Nanoseconds of the session's clock; `Int64.max` while paused.
    private let lastActivity: Atomic<Int64>
    private let timer = Locked<TimerQueue.Timer?>(nil)

    init(
        _ timers: TimerQueue, timeout: Duration, isHeldBack: @escaping @Sendable () -> Bool = { false },
        onSilence: @escaping @Sendable () -> Void
    ) {
        self.timers = timers
        self.timeout = min(max(timeout, .zero), .longestWait)
        self.isHeldBack = isHeldBack
        let now = timers.time.now
        lastActivity = Atomic(now.wholeNanoseconds)
        let scheduled = timers.schedule(at: now + self.timeout) { [weak self] in
            guard let self else { return nil }
            if let next = self.nextCheck() { return next }
            onSilence()
            return nil
        }
        timer.withLock { $0 = scheduled }
    }

    deinit { stop() }

    func touch() { lastActivity.store(timers.time.now.wholeNanoseconds, ordering: .relaxed) }
    /// Starts the timeout again, unless it is paused.
    func restart() {
        if lastActivity.load(ordering: .relaxed) != .max { touch() }
    }

    func pause() { lastActivity.store(.max, ordering: .relaxed) }

    func stop() {
        if let timer = timer.withLock({ $0.take() }) { timers.cancel(timer) }
    }

    private func nextCheck() -> Duration? {
        let now = timers.time.now
        if isHeldBack() { restart() }
        let last = lastActivity.load(ordering: .relaxed)
        let due = last == .max ? now + timeout : .nanoseconds(last) + timeout
        return due > now ? due : nil
    }
}

extension Duration {
    /// A century: longer sleeps overflow the clocks.
    static let longestWait = Duration.seconds(3_155_760_000)

    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let whole = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return whole.overflow ? .max - 1 : whole.partialValue + attoseconds / 1_000_000_000
    }
}
