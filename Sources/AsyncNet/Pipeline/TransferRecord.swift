import Foundation

/// What is known of a request's transfer so far.
///
/// Stations and transports write it, and every end of the request reads it, so that a timeout or a cancel reports as
/// much as a response. An object, since a value would be copied into the frame of each suspended async function (16 KiB
/// for each of ten thousand waiting requests).
final class TransferRecord: Sendable {
    private struct State {
        var request: TransportRequest?
        /// The requests of this attempt that were redirected.
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
    /// The requests that this attempt has sent, or is about to send.
    var sentRequests: [TransportRequest] { state.withLock { $0.redirected + ($0.request.map { [$0] } ?? []) } }

    @inline(never)
    func willSend(_ request: TransportRequest) {
        state.withLock { state in
            state.request = request
            (state.head, state.data) = (nil, nil)
            state.metrics.receivedBytes = 0
        }
    }

    /// An attempt begins with this request.
    func restart(with request: TransportRequest) {
        state.withLock { $0.redirected = [] }
        willSend(request)
    }

    func beginAttempt(_ number: Int) {
        state.withLock { $0.metrics.attempts = number + $0.repeats }
    }

    /// The transport has sent the request once more by itself.
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

    /// - Returns: `false` if the head was known: a transport may report a head before it delivers the response.
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

    /// Takes the measurements of a shared or hedged transfer, which ran in a run of its own.
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

    /// The outcome with everything recorded so far, ended by `error` if there is an error.
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
