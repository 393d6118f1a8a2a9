import Synchronization

/// Makes requests wait for the tokens of a ``RateLimit``.
///
/// A waiting request takes its token only when it may be sent: if it is cancelled, requests behind it are sent earlier.
/// Each origin with waiting requests has one timer, for the first of them.
final class RateLimiter: Sendable {
    private typealias VerdictContinuation = CheckedContinuation<Verdict, Never>

    private enum Verdict {
        case go
        case cancelled
        /// The first token available comes after the deadline, at this time.
        case tooLate(Duration)
    }

    private struct OriginLine {
        var tokens: TokenBucket
        var line = WaitingLine<VerdictContinuation>()
        /// Set while requests wait.
        var timer: TimerQueue.Timer?
    }

    private let limit: RateLimit
    private let timers: TimerQueue
    private let origins = Locked(OriginTable<OriginLine>())
    private let lastID = Atomic(0)

    init(_ limit: RateLimit, timers: TimerQueue) { (self.limit, self.timers) = (limit, timers) }

    /// The number of origins in the table: those with waiting requests, those with tokens in use, and idle ones that
    /// are not removed yet.
    var originCount: Int { origins.withLock { $0.count } }

    /// The number of waiting requests; under ``RateLimit/Scope-swift.enum/session`` of all origins.
    func waitingCount(origin: String) -> Int {
        origins.withLock { [origin = key(origin)] in $0[origin]?.line.count ?? 0 }
    }

    /// Waits until a request may be sent.
    ///
    /// - Parameter deadline: A time of the session's clock.
    /// - Throws: `.cancelled` as soon as the task is cancelled; `.deadlineExceeded` at once if there is no token before
    ///   the deadline.
    func acquire(origin: String, until deadline: Duration? = nil) async throws(AsyncNetError) {
        let origin = key(origin)
        let id = lastID.add(1, ordering: .relaxed).newValue
        if let verdict = verdict(origin, until: deadline) { return try accept(verdict) }
        let supervisor = timers.time.supervisor
        supervisor?.begin(.waiting)
        defer { supervisor?.end(.waiting) }
        let verdict = await withTaskCancellationHandler {
            await withCheckedContinuation { enqueue(id, $0, origin, until: deadline) }
        } onCancel: {
            abandon(id, origin)?.resume(returning: .cancelled)
        }
        try accept(verdict)
    }

    private func key(_ origin: String) -> String { limit.scope == .session ? "" : origin }

    private func accept(_ verdict: Verdict) throws(AsyncNetError) {
        switch verdict {
        case .go: return
        case .cancelled: throw AsyncNetError(.cancelled)
        case .tooLate(let time):
            let wait = time - timers.time.now
            throw AsyncNetError(
                .deadlineExceeded,
                "The rate limit allows the request in \(wait.inSeconds), which is after its deadline")
        }
    }

    /// The immediate result, `nil` if the request has to wait.
    private func verdict(_ origin: String, until deadline: Duration?) -> Verdict? {
        if Task.isCancelled { return .cancelled }
        let now = timers.time.now
        return withLine(of: origin, at: now) { Self.verdict(&$0, until: deadline, at: now) }
    }

    private func enqueue(_ id: Int, _ turn: VerdictContinuation, _ origin: String, until deadline: Duration?) {
        let now = timers.time.now
        let verdict = withLine(of: origin, at: now) { entry -> Verdict? in
            if Task.isCancelled { return .cancelled }
            if let verdict = Self.verdict(&entry, until: deadline, at: now) { return verdict }
            entry.line.append(id, turn)
            entry.timer =
                entry.timer
                ?? timers.schedule(at: entry.tokens.earliest(behind: 0, at: now)) { [weak self] in
                    self?.resumeWaiters(origin)
                }
            return nil
        }
        if let verdict { turn.resume(returning: verdict) }
    }

    private static func verdict(_ entry: inout OriginLine, until deadline: Duration?, at now: Duration) -> Verdict? {
        if entry.line.isEmpty, entry.tokens.take(at: now) { return .go }
        let time = entry.tokens.earliest(behind: entry.line.count, at: now)
        if let deadline, time > deadline { return .tooLate(time) }
        return nil
    }

    private func withLine<Result: Sendable>(
        of origin: String, at now: Duration, _ body: @Sendable (inout OriginLine) -> Result
    ) -> Result {
        origins.withLock { origins in
            origins.withValue(
                of: origin, default: OriginLine(tokens: TokenBucket(limit)),
                isIdle: { $0.line.isEmpty && $0.tokens.isFull(at: now) }, body)
        }
    }

    /// Resumes the requests for which there is a token.
    /// - Returns: When there is a token for the next waiting request; `nil` if none waits.
    private func resumeWaiters(_ origin: String) -> Duration? {
        let now = timers.time.now
        let (turns, next) = origins.withLock { origins -> ([VerdictContinuation], Duration?) in
            var turns: [VerdictContinuation] = []
            while origins[origin]?.line.isEmpty == false, origins[origin]?.tokens.take(at: now, hasWaited: true) == true
            {
                if let turn = origins[origin]?.line.popFirst() { turns.append(turn) }
            }
            guard let entry = origins[origin], !entry.line.isEmpty else {
                origins[origin]?.timer = nil
                return (turns, nil)
            }
            return (turns, entry.tokens.earliest(behind: 0, at: now))
        }
        for turn in turns { turn.resume(returning: .go) }
        return next
    }

    private func abandon(_ id: Int, _ origin: String) -> VerdictContinuation? {
        let (turn, timer) = origins.withLock { origins -> (VerdictContinuation?, TimerQueue.Timer?) in
            let turn = origins[origin]?.line.remove(id)
            guard origins[origin]?.line.isEmpty == true else { return (turn, nil) }
            return (turn, origins[origin]?.timer.take())
        }
        if let timer { timers.cancel(timer) }
        return turn
    }
}

extension Duration {
    /// The duration for messages, rounded up to the millisecond: `1.25 seconds`.
    var inSeconds: String {
        let (milliseconds, rest) = max(self, .zero).wholeNanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
        return "\(Double(milliseconds + (rest > 0 ? 1 : 0)) / 1000) seconds"
    }
}
