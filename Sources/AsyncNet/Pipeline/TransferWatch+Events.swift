import Foundation

/// Sends the steps of a run to the observers of its request. Without observers each function only reads a flag.
extension TransferWatch {
    var areEventsObserved: Bool { events?.isObserved == true }

    func send(_ event: @autoclosure () -> RequestEvent) {
        guard let events, events.isObserved else { return }
        events.send(event(), of: runningHop)
    }

    /// Reports the end of a refresh that a policy has waited for; `nil` if nobody observes.
    var reportsRefresh: (@Sendable (AsyncNetError?, Duration) -> Void)? {
        guard let events, events.isObserved, role != .segment else { return nil }
        return { events.send(.refreshed($0, after: $1), of: nil) }
    }

    var runningHop: RunningHop? { running.withLock { $0 } }

    /// Begins a hop: the trace adds its headers to the request, and observers get the hop's steps.
    func beginHop(_ request: inout TransportRequest, _ trace: (any RequestTrace)?, isRedirected: Bool) {
        let outcome = pendingOutcome.withLock { $0.take() }
        let traced = trace.flatMap { request.beginHop(of: $0, isRedirected: isRedirected) }
        guard let interests = request.interests else { return }
        let hop = RunningHop(
            request.head, isRedirected ? nil : request.urlTemplate, interests, isShared: events is SharedEvents, record,
            outcome, traced)
        running.withLock { $0 = hop }
        guard events?.begin(hop) != false else { return endHop(.cancelled) }
        guard interests.bodyLimit > 0, let body = request.body.data, !body.isEmpty else { return }
        send(.requestBody(Data(body.prefix(interests.bodyLimit))))
    }

    func hopLeads(to ending: HopSummary.Ending) { runningHop?.leads(to: ending) }

    /// Ends the running hop: its body is delivered or not needed, or the transfer has failed. The first call counts.
    func endHop(_ ending: HopSummary.Ending) {
        guard let hop = running.withLock({ $0.take() }) else { return }
        let summary = hop.end(ending)
        hop.endTrace()
        events?.end(hop, summary)
    }

    func hopReceived(_ head: HTTPResponseHead) { runningHop?.received(head) }

    func connected(_ connection: ConnectionInfo) {
        if runningHop?.connected(connection) == true { send(.connected(connection)) }
    }

    /// Reports what the cache did for the running hop, or for the next one.
    func cached(_ outcome: CacheOutcome) {
        if let runningHop { runningHop.cached(outcome) } else { pendingOutcome.withLock { $0 = outcome } }
        send(.cached(outcome))
    }

    func measured(_ metrics: TransportMetrics) {
        guard let hop = runningHop else { return }
        hop.measured(metrics)
        let connection = ConnectionInfo(
            isReused: metrics.isConnectionReused, httpVersion: metrics.httpVersion,
            remoteAddress: metrics.remoteAddress)
        if connection != ConnectionInfo() { connected(connection) }
    }

    /// Sends bytes of the response's body, up to the limit that observers asked for.
    func tap(_ chunk: Data) {
        guard let count = runningHop?.take(chunk.count), count > 0 else { return }
        send(.responseBody(Data(chunk.prefix(count))))
    }
}

extension TransportRequest {
    /// - Returns: The trace's part of the hop. If there is one, the transport is told to report its connections.
    fileprivate mutating func beginHop(of trace: any RequestTrace, isRedirected: Bool) -> (any TracedHop)? {
        var head = head
        let traced = trace.beginHop(&head, urlTemplate: isRedirected ? nil : urlTemplate, isRedirected: isRedirected)
        change { request in
            request.head = head
            if traced != nil, request.interests == nil { request.interests = .minimal }
        }
        return traced
    }
}
