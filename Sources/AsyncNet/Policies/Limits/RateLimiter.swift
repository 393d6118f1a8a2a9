/// Makes requests wait for the tokens of a ``RateLimit``.
///
/// Waiting requests queue for a single permit; the request that has the permit sleeps until there is a token. So a
/// request takes its token only when it may be sent: if it is cancelled, requests behind it are sent earlier.
final class RateLimiter: Sendable {
    private struct OriginTokens {
        var bucket: TokenBucket
        /// How many requests wait, including the request that sleeps.
        var waiting = 0
    }

    private let limit: RateLimit
    private let time: TimeSource
    private let line = RequestQueue(ConcurrencyLimit(perOrigin: 1))
    private let origins = Locked(Origins())

    private struct Origins {
        var tokens: [String: OriginTokens] = [:]
        /// Idle origins are removed when there are this many origins.
        var searchAt = 64

        /// Removes idle origins if many may be idle: at most 64 stay, or half of all. Takes constant time on average.
        mutating func removeIdle(at now: Duration) {
            guard tokens.count >= searchAt else { return }
            tokens = tokens.filter { $0.value.waiting > 0 || !$0.value.bucket.isFull(at: now) }
            searchAt = max(64, 2 * tokens.count)
        }
    }

    init(_ limit: RateLimit, time: TimeSource) {
        self.limit = limit
        self.time = time
    }

    var originCount: Int { origins.withLock { $0.tokens.count } }

    func waitingCount(origin: String) -> Int {
        origins.withLock { [origin = key(origin)] in $0.tokens[origin]?.waiting ?? 0 }
    }

    /// Waits until a request may be sent. Throws `.deadlineExceeded` at once if its token comes after the deadline, a
    /// time of the session's clock.
    func acquire(origin: String, until deadline: Duration? = nil) async throws(AsyncNetError) {
        if Task.isCancelled { throw AsyncNetError(.cancelled) }
        let origin = key(origin)
        guard try !takesToken(origin, until: deadline) else { return }
        defer { origins.withLock { $0.tokens[origin]?.waiting -= 1 } }
        let turn = try await line.acquire(origin: origin)
        defer { turn.release() }
        while let next = takeToken(origin) {
            do { try await time.sleep(until: next) } catch { throw AsyncNetError(.cancelled) }
        }
    }

    private func key(_ origin: String) -> String { limit.scope == .session ? "" : origin }

    /// - Returns: `false` if the request has to wait, and is counted as waiting.
    private func takesToken(_ origin: String, until deadline: Duration?) throws(AsyncNetError) -> Bool {
        let now = time.now
        let next = origins.withLock { origins -> Duration? in
            origins.removeIdle(at: now)
            var tokens = origins.tokens[origin] ?? OriginTokens(bucket: TokenBucket(limit))
            defer { origins.tokens[origin] = tokens }
            if tokens.waiting == 0, tokens.bucket.take(at: now) { return nil }
            let next = tokens.bucket.earliest(behind: tokens.waiting, at: now)
            if next <= deadline ?? next { tokens.waiting += 1 }
            return next
        }
        guard let next else { return true }
        guard let deadline, next > deadline else { return false }
        throw AsyncNetError(
            .deadlineExceeded,
            "The rate limit allows the request in \((next - now).inSeconds), which is after its deadline")
    }

    /// Takes a token for the request that has waited longest, and returns `nil`; if there is none yet, returns the time
    /// on the clock at which there will be one.
    private func takeToken(_ origin: String) -> Duration? {
        let now = time.now
        return origins.withLock { origins in
            guard origins.tokens[origin]?.bucket.take(at: now, hasWaited: true) == false else { return nil }
            return origins.tokens[origin]?.bucket.earliest(behind: 0, at: now)
        }
    }
}

extension Duration {
    /// The duration for messages, rounded up to the millisecond: `1.25 seconds`.
    var inSeconds: String {
        let (milliseconds, rest) = max(self, .zero).wholeNanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
        return "\(Double(milliseconds + (rest > 0 ? 1 : 0)) / 1000) seconds"
    }
}
