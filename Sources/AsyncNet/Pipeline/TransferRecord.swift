import Foundation

/// What is known of a request's transfer so far.
///
/// Written by the transfer, read by whoever ends the request: so a timeout or a cancel tells as much as an end by
/// itself. One object on the heap, where it costs the waiting request one word in each async function instead of all
/// of it (ten thousand waiting requests took 16 KiB each that way).
final class TransferRecord: Sendable {
    private struct State {
        var request: TransportRequest?
        /// What redirects led away from in this attempt.
        var redirected: [TransportRequest] = []
        var head: HTTPResponseHead?
        var data: Data?
        var metrics = RequestMetrics()
        /// How often transports sent the request again by themselves, in all attempts.
        var repeats = 0
        var clock: (time: TimeSource, start: Duration)?

        var elapsed: Duration { clock.map { $0.time.now - $0.start } ?? .zero }
    }

    private let state = Locked(State())

    init() {}

    @inline(never)
    func begin(_ time: TimeSource) {
        state.withLock { state in
            state.metrics.start = Date()
            state.clock = (time, time.now)
        }
    }

    var elapsed: Duration { state.withLock { $0.elapsed } }
    var request: TransportRequest? { state.withLock { $0.request } }
    var sentBytes: Int64 { state.withLock { $0.metrics.sentBytes } }
    var head: HTTPResponseHead? { state.withLock { $0.head } }
    var redirectedRequests: [TransportRequest] { state.withLock { $0.redirected } }
    /// The requests that this attempt has sent, or is to send.
    var sentRequests: [TransportRequest] { state.withLock { $0.redirected + ($0.request.map { [$0] } ?? []) } }
    var followedRedirects: Int { state.withLock { $0.metrics.redirects.count } }

    @inline(never)
    func willSend(_ request: TransportRequest) {
        state.withLock { state in
            state.request = request
            (state.head, state.data) = (nil, nil)
            state.metrics.receivedBytes = 0
        }
    }

    /// An attempt is to begin with this, as the first did.
    func restart(with request: TransportRequest) {
        state.withLock { $0.redirected = [] }
        willSend(request)
    }

    func beginAttempt(_ number: Int) {
        state.withLock { $0.metrics.attempts = number + $0.repeats }
    }

    /// The transport sends the request once more than the pipeline does.
    func repeated() {
        state.withLock { state in
            state.repeats += 1
            state.metrics.attempts += 1
        }
    }

    @inline(never)
    func redirected(to request: TransportRequest) {
        state.withLock { state in
            if let sent = state.request { state.redirected.append(sent) }
            state.metrics.redirects.append(request.head.url)
        }
        willSend(request)
    }

    /// Whether this is news; transports may tell of the head before they deliver it.
    func received(_ head: HTTPResponseHead) -> Bool {
        state.withLock { state in
            guard state.head == nil else { return false }
            state.head = head
            state.metrics.timeToResponse = state.elapsed
            return true
        }
    }

    func received(_ data: Data) { state.withLock { $0.data = data } }
    func receivedBytes(_ count: Int64) { state.withLock { $0.metrics.receivedBytes = count } }
    func sentBytes(_ count: Int64) { state.withLock { $0.metrics.sentBytes = count } }

    func measured(_ transport: TransportMetrics) {
        state.withLock { state in
            state.metrics.httpVersion = transport.httpVersion
            state.metrics.isConnectionReused = transport.isConnectionReused
            state.metrics.remoteAddress = transport.remoteAddress
            state.metrics.timings = transport.timings
            state.metrics.wireBytes = transport.wireBytes
        }
    }

    /// Takes over what a transfer that was made for this run has measured.
    @inline(never)
    func adopt(_ outcome: TransferOutcome) {
        state.withLock { state in
            if let request = outcome.request { state.request = request }
            if outcome.error != nil { (state.head, state.data) = (outcome.head, outcome.data) }
            let (start, attempts) = (state.metrics.start, state.metrics.attempts)
            state.metrics = outcome.metrics
            (state.metrics.start, state.metrics.attempts) = (start, attempts)
            state.metrics.timeToResponse = outcome.head.map { _ in state.elapsed }
        }
    }

    var isCollected: Bool { state.withLock { $0.data != nil } }

    /// The response with its body, once that is in memory.
    var collectedResponse: RawResponse? {
        state.withLock { state in
            guard let request = state.request, let head = state.head, let data = state.data else { return nil }
            return RawResponse(requestHead: request.head, head: head, data: data)
        }
    }

    /// All of it, ended by `error` if there is one.
    @inline(never)
    func outcome(_ error: AsyncNetError?) -> TransferOutcome {
        let outcome = state.withLock { state in
            state.metrics.total = state.elapsed
            return TransferOutcome(
                request: state.request, head: state.head, data: state.data, metrics: state.metrics)
        }
        return error.map(outcome.failing) ?? outcome
    }
}
