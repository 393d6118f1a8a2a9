import Foundation

/// What is known of a request's transfer so far: stations and transports write it, and every end of the request reads
/// it. An object, since each suspended async function would have a copy (16 KiB for each waiting request).
final class TransferRecord: Sendable {
    fileprivate struct State {
        var request: TransportRequest?
        /// The requests of this attempt that were redirected.
        var redirected: [TransportRequest] = []
        var head: HTTPResponseHead?
        var data: Data?
        var trailers: HTTPHeaders?
        var metrics = RequestMetrics()
        /// How much of the response's body was received; `nil` before its first byte.
        var received: ReceivedBytes?
        var bytesToSend: Int64?
        /// How often transports sent the request again by themselves, in all attempts.
        var repeats = 0
        /// Whether the running attempt has sent nothing so far, and how many earlier attempts ended without sending
        /// anything.
        var (isUnsent, unsent) = (false, 0)
        /// How the request ends if a circuit breaker refuses the next attempt.
        var earlier: TransferOutcome?
        var clock: (time: TimeSource, start: Duration)?

        var elapsed: Duration { clock.map { $0.time.now - $0.start } ?? .zero }
        /// The number of the running attempt.
        var attempt: Int { metrics.attempts - repeats + unsent }
    }

    fileprivate let state = Locked(State())

    func begin(_ time: TimeSource) {
        state.withLock { state in
            state.metrics.start = Date()
            state.clock = (time, time.now)
        }
    }

    var elapsed: Duration { state.withLock { $0.elapsed } }
    var request: TransportRequest? { state.withLock { $0.request } }
    var head: HTTPResponseHead? { state.withLock { $0.head } }
    var redirectedRequests: [TransportRequest] { state.withLock { $0.redirected } }
    /// The requests that this attempt has sent, or is about to send.
    var sentRequests: [TransportRequest] { state.withLock { $0.redirected + ($0.request.map { [$0] } ?? []) } }

    func willSend(_ request: TransportRequest) {
        state.withLock { state in
            state.request = request
            (state.head, state.data, state.trailers) = (nil, nil, nil)
            (state.metrics.receivedBytes, state.received) = (0, nil)
        }
    }

    func restart(with request: TransportRequest) {
        state.withLock { $0.redirected = [] }
        willSend(request)
    }

    /// - Returns: The attempt's number, from 1; attempts that sent nothing count.
    @discardableResult
    func beginAttempt() -> Int {
        state.withLock { state in
            state.metrics.attempts += state.isUnsent ? 0 : 1
            if state.isUnsent { state.unsent += 1 }
            state.isUnsent = true
            return state.attempt
        }
    }

    /// How many attempts followed the first, without those that sent nothing.
    var retryCount: Int { state.withLock { max(0, $0.metrics.attempts - $0.repeats - 1) } }

    /// Keeps the outcome with which the request ends if the next attempt is not admitted. The outcome of an attempt
    /// that has sent nothing does not replace a kept outcome.
    func keep(_ outcome: TransferOutcome) {
        state.withLock { if $0.earlier == nil || !$0.isUnsent { $0.earlier = outcome } }
    }

    /// Returns to the kept outcome if the attempt after it has sent nothing.
    func restore() -> TransferOutcome? {
        state.withLock { state in
            guard state.isUnsent, let earlier = state.earlier.take() else { return nil }
            state.isUnsent = false
            state.unsent += 1
            state.metrics.attempts -= 1
            (state.request, state.head) = (earlier.request, earlier.head)
            (state.data, state.trailers) = (earlier.data, earlier.trailers)
            (state.metrics.receivedBytes, state.metrics.timeToResponse) = (
                earlier.metrics.receivedBytes, earlier.metrics.timeToResponse
            )
            return earlier
        }
    }

    func repeated() {
        state.withLock { state in
            state.repeats += 1
            state.metrics.attempts += 1
        }
    }

    func beginHop(_ head: HTTPRequestHead) {
        state.withLock { state in
            (state.isUnsent, state.earlier) = (false, nil)
            state.metrics.beginHop(head, attempt: state.attempt, at: state.elapsed)
        }
    }

    /// Stores the status of the hop's response, whether or not the response is delivered.
    func hopReceived(_ head: HTTPResponseHead) { state.withLock { $0.metrics.hopReceived(head.statusCode) } }

    func redirected(to request: TransportRequest) {
        state.withLock { state in
            if let sent = state.request { state.redirected.append(sent) }
            state.metrics.redirects.append(request.head.url)
        }
        willSend(request)
    }

    /// - Returns: `false` if the head was known: a transport may report a head before it delivers the response.
    func received(_ head: HTTPResponseHead) -> Bool {
        state.withLock { state in
            guard state.head == nil else { return false }
            state.head = head
            state.metrics.timeToResponse = state.elapsed
            return true
        }
    }

    func cached(_ outcome: CacheOutcome) {
        state.withLock { state in
            state.metrics.cacheOutcome = outcome
            if [.hit, .stale, .revalidated].contains(outcome) { state.isUnsent = false }
        }
    }

    func received(trailers: HTTPHeaders) { state.withLock { $0.trailers = trailers } }

    func received(_ data: Data) { state.withLock { $0.data = data } }

    /// - Returns: How many bytes had been received before.
    @discardableResult
    func received(_ bytes: ReceivedBytes) -> Int64 {
        state.withLock { state in
            defer { (state.metrics.receivedBytes, state.received) = (bytes.count, bytes) }
            return state.received?.count ?? 0
        }
    }

    /// - Returns: How many bytes had been sent before.
    @discardableResult
    func sentBytes(_ count: Int64, of total: Int64?) -> Int64 {
        state.withLock { state in
            defer { (state.metrics.sentBytes, state.bytesToSend) = (count, total) }
            return state.metrics.sentBytes
        }
    }

    func measured(_ transport: TransportMetrics) { state.withLock { $0.metrics.hopMeasured(transport) } }

    /// Takes the measurements of a shared or hedged transfer, which ran in a run of its own.
    func adopt(_ outcome: TransferOutcome) {
        state.withLock { state in
            if let request = outcome.request { state.request = request }
            if outcome.error != nil { (state.head, state.data) = (outcome.head, outcome.data) }
            let own = state.metrics
            if outcome.error == nil || !outcome.metrics.hops.isEmpty { state.isUnsent = false }
            let adopted = outcome.metrics.hops(
                ofAttempt: state.attempt, begunAt: state.elapsed - outcome.metrics.total)
            (state.metrics, state.trailers) = (outcome.metrics, outcome.trailers)
            // The transfer's run begins no attempt: its count has only the requests that the transport sent again.
            state.repeats += outcome.metrics.attempts
            (state.metrics.start, state.metrics.attempts) = (own.start, own.attempts + outcome.metrics.attempts)
            state.metrics.redirects = own.redirects + outcome.metrics.redirects
            state.metrics.hops = own.hops + adopted
            state.metrics.timeToResponse = outcome.head.map { _ in state.elapsed }
        }
    }

    func outcome(_ error: AsyncNetError?) -> TransferOutcome {
        let outcome = state.withLock { state in
            state.metrics.total = state.elapsed
            var metrics = state.metrics
            if error != nil, state.isUnsent { metrics.attempts -= 1 }
            return TransferOutcome(
                request: state.request, head: state.head, data: state.data, metrics: metrics, trailers: state.trailers)
        }
        return error.map(outcome.failing) ?? outcome
    }
}

extension RequestMetrics {
    /// The hops of a transfer that began at `start`, as hops of this attempt of a request that used the transfer.
    fileprivate func hops(ofAttempt attempt: Int, begunAt start: Duration) -> [HopMetrics] {
        hops.map { hop in
            var hop = hop
            (hop.attempt, hop.start) = (attempt, hop.start + start)
            return hop
        }
    }
}

extension TransferRecord {
    /// How much of the response's body has arrived; `nil` before its first byte.
    var downloadProgress: TransferProgress? {
        state.withLock { state in
            guard let received = state.received else { return nil }
            return progress(received.completed, received.total(of: state.head), moved: received.count, state.elapsed)
        }
    }

    /// How much of the request's body has been sent; `nil` before its first byte.
    var uploadProgress: TransferProgress? {
        state.withLock { state in
            let sent = state.metrics.sentBytes
            return sent > 0 ? progress(sent, state.bytesToSend, moved: sent, state.elapsed) : nil
        }
    }

    /// - Parameter moved: The bytes of this transfer alone, from which the rate is computed.
    private func progress(_ completed: Int64, _ total: Int64?, moved: Int64, _ elapsed: Duration) -> TransferProgress {
        let rate = elapsed > .zero ? Double(moved) / (elapsed / .seconds(1)) : 0
        return TransferProgress(completedBytes: completed, totalBytes: total, bytesPerSecond: rate)
    }
}

extension ReceivedBytes {
    /// The bytes received, with the bytes that a download's file had before.
    var completed: Int64 { count + offset }

    /// The length of the whole body or file; `nil` if unknown, as for a decoded body, whose
    /// `Content-Length` counts encoded bytes.
    func total(of head: HTTPResponseHead?) -> Int64? {
        if let total { return total }
        guard let head, head.describesBody else { return nil }
        return head.contentLength.map { $0 + offset }
    }
}
