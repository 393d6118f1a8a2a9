import Foundation
import Synchronization

/// What was reported of a hop, so that nothing is reported twice.
struct HopReport {
    let interests: EventInterests
    /// How many bytes of the response's body are still to be reported.
    var bodyLimit: Int
    /// How many bytes of the response's body were reported.
    var receivedBytes: Int64 = 0
    /// When the transfer began to wait for the transport; `nil` while it does not.
    var waitingSince: Duration?
    var isConnected = false
    /// The event of the transfer's end. Transports report measurements before the last bytes of the body have been
    /// delivered.
    var transferred: RequestEvent?

    init(_ interests: EventInterests) { (self.interests, bodyLimit) = (interests, interests.bodyLimit) }
}

/// Sends the steps of a run to the observers of its request. Without observers each function reads a flag.
extension TransferWatch {
    /// Whether somebody observes the steps.
    var areEventsObserved: Bool { events?.isObserved == true }

    func send(_ event: @autoclosure () -> RequestEvent) {
        guard let events, events.isObserved else { return }
        events.send(event(), hop: hop.load(ordering: .relaxed))
    }

    /// Reports a refresh that a policy waits for; `nil` if nobody observes.
    var reportsRefresh: (@Sendable (AsyncNetError?, Duration) -> Void)? {
        guard let events, events.isObserved, role != .segment else { return nil }
        return { events.send(.refreshed($0, after: $1), hop: 0) }
    }

    // MARK: Hops

    /// A hop begins whose steps are observed.
    func beginHop(_ request: TransportRequest) {
        guard let events, let interests = request.interests else { return }
        if hopNumber > 0 { endTransfer() }
        hop.store(events.beginHop(), ordering: .relaxed)
        hopReport.withLock { $0 = HopReport(interests) }
        if let meter = events.meter {
            meter.beginHop(hopNumber, request.head, request.urlTemplate)
        } else {
            send(.hop(request.head))
        }
        guard interests.bodyLimit > 0, let body = request.body.data, !body.isEmpty else { return }
        send(.requestBody(Data(body.prefix(interests.bodyLimit))))
    }

    /// The attempt's next steps are not those of its last hop.
    func endHops() { hop.store(0, ordering: .relaxed) }

    /// The response comes from the cache: the next steps are those of no hop, and its bytes were not received.
    func leaveHop() {
        if hopNumber > 0 { endTransfer() }
        endHops()
        hopReport.withLock { $0 = nil }
    }

    private var hopNumber: Int { hop.load(ordering: .relaxed) }

    /// The transfer has a connection.
    func connected(_ connection: ConnectionInfo) {
        guard areEventsObserved, events?.meter == nil else { return }
        let isNews = hopReport.withLock { report in
            defer { report?.isConnected = true }
            return report?.isConnected == false
        }
        if isNews { send(.connected(connection)) }
    }

    /// The cache did this for the hop.
    func cached(_ outcome: CacheOutcome) {
        guard areEventsObserved else { return }
        if let meter = events?.meter { meter.cached(outcome) } else { send(.cached(outcome)) }
    }

    /// The hop's response is not delivered: see ``RequestEvent/replaced(_:)``.
    func replaced(_ head: HTTPResponseHead) {
        guard areEventsObserved else { return }
        if let meter = events?.meter { meter.replaced(head, hopNumber) } else { send(.replaced(head)) }
    }

    /// A stored response is delivered in place of the error that ended the hop, or kept it from beginning.
    func failureReplaced(_ error: AsyncNetError) {
        guard areEventsObserved else { return }
        endTransfer()
        if let meter = events?.meter { meter.failed(error, hopNumber) } else { send(.failureReplaced(error)) }
    }

    func sendResponse(_ head: HTTPResponseHead) {
        if let meter = events?.meter { meter.received(head, hopNumber) } else { send(.response(head)) }
    }

    func measured(_ metrics: TransportMetrics) {
        guard areEventsObserved else { return }
        // Also for a meter: somebody may begin to observe before the transfer has ended.
        let isConnected = hopReport.withLock { report in
            report?.transferred = .transferred(metrics)
            return report?.isConnected
        }
        if let meter = events?.meter { return meter.measured(metrics, hopNumber) }
        guard isConnected == false else { return }
        let connection = ConnectionInfo(
            isReused: metrics.isConnectionReused, httpVersion: metrics.httpVersion,
            remoteAddress: metrics.remoteAddress)
        if connection != ConnectionInfo() { connected(connection) }
    }

    /// The hop has ended: its body has been delivered, or is not needed, or the transfer has failed.
    func endTransfer() {
        guard areEventsObserved else { return }
        let event = hopReport.withLock { $0?.transferred.take() }
        if let meter = events?.meter { return meter.endTransfer(hopNumber) }
        if let event { send(event) }
    }

    /// The transfer begins to wait for a permit of the transport, or waits no longer.
    func waits(_ begins: Bool) {
        guard areEventsObserved, begins || hopReport.withLock({ $0?.waitingSince }) != nil else { return }
        let now = record.elapsed
        let since = hopReport.withLock { report in
            let since = report?.waitingSince
            report?.waitingSince = begins ? since ?? now : nil
            return since
        }
        if begins, since == nil { send(.queued) }
        if !begins, let since { send(.admitted(after: now - since)) }
    }

    // MARK: Bodies

    func reportSent(_ bytes: Int64, of total: Int64?) {
        guard areEventsObserved, hopReport.withLock({ $0?.interests.bodyBytes }) == true else { return }
        send(.sentBody(bytes: bytes, total: total))
    }

    /// The transport counts bytes when they arrive, and the reader counts them again when it takes them.
    func reportReceived(_ bytes: Int64) {
        guard areEventsObserved, events?.meter == nil else { return }
        let isMore = hopReport.withLock { report in
            guard let known = report?.receivedBytes, known < bytes else { return false }
            report?.receivedBytes = bytes
            return report?.interests.bodyBytes == true
        }
        if isMore { send(.receivedBody(bytes: bytes)) }
    }

    /// Sends bytes of the response's body, up to the limit that observers asked for.
    func tap(_ chunk: Data) {
        guard areEventsObserved else { return }
        let count = hopReport.withLock { report in
            let count = min(chunk.count, report?.bodyLimit ?? 0)
            report?.bodyLimit -= count
            return count
        }
        if count > 0 { send(.responseBody(Data(chunk.prefix(count)))) }
    }
}
