import Foundation

/// Makes records of hops from the events of requests, which may run at the same time.
struct HopCollector {
    /// A request that has begun and not ended.
    private struct Trace {
        var hops: [HARExchange] = []
        /// The wait for permits since the last hop began.
        var blocked: Duration?
    }

    let bodyLimit: Int
    private var traces: [RequestID: Trace] = [:]

    init(bodyLimit: Int) { self.bodyLimit = max(0, bodyLimit) }

    /// How many hops have begun and not ended.
    var openCount: Int { traces.values.reduce(0) { $0 + $1.hops.count } }

    /// - Returns: The hops that have ended with this event.
    mutating func receive(_ event: SessionEvent) -> [HARExchange] {
        switch event.event {
        case .finished(let error): return end(event, error, event.summary)
        // A segment that fails before its first hop has hop 0.
        case .retried(let error, _): return event.hop == 0 ? [] : endOne(event, error)
        case .failureReplaced(let error): return event.hop == 0 ? [] : endOne(event, error)
        case .attempt: return end(event, nil, nil)
        case .hop(let head): return begin(event, head)
        case .admitted(let time): blocked(event, time)
        case .response(let head): responded(event, head)
        default: change(event)
        }
        return []
    }

    // MARK: Begin and end

    /// The hop before this hop has ended; hedged transfers and segments have not.
    private mutating func begin(_ event: SessionEvent, _ head: HTTPRequestHead) -> [HARExchange] {
        var trace = traces[event.requestID] ?? Trace()
        let ended = trace.hops.filter(\.isOver)
        trace.hops.removeAll(where: \.isOver)
        var record = HARExchange(event, head)
        record.blockedBefore = trace.blocked.take()
        trace.hops.append(record)
        traces[event.requestID] = trace
        return ended.map { $0.ended(at: event.instant) }
    }

    /// All hops of the attempt have ended. The error is the last hop's, and that of each hop without a response.
    private mutating func end(_ event: SessionEvent, _ error: AsyncNetError?, _ summary: RequestSummary?)
        -> [HARExchange]
    {
        guard let trace = traces.removeValue(forKey: event.requestID) else { return [] }
        return trace.hops.enumerated().map { index, hop in
            var hop = hop.ended(at: event.instant)
            let isLast = index == trace.hops.count - 1
            if isLast || hop.response == nil { hop.error = error ?? hop.error }
            if isLast, trace.hops.count == 1, let metrics = summary?.metrics { hop.complete(metrics) }
            return hop
        }
    }

    /// The hop of an attempt has ended. Other segments of a download go on.
    private mutating func endOne(_ event: SessionEvent, _ error: AsyncNetError?) -> [HARExchange] {
        guard let index = index(of: event), var hop = traces[event.requestID]?.hops.remove(at: index) else { return [] }
        hop = hop.ended(at: event.instant)
        hop.error = error ?? hop.error
        return [hop]
    }

    // MARK: Steps

    private mutating func blocked(_ event: SessionEvent, _ time: Duration) {
        if event.hop == 0 { traces[event.requestID, default: Trace()].blocked = time }
        change(event)
    }

    /// The response of a shared transfer has no hop: it is that of the hop that has received bytes, or of the last.
    private mutating func responded(_ event: SessionEvent, _ head: HTTPResponseHead) {
        guard event.hop == 0, let hops = traces[event.requestID]?.hops else { return change(event) }
        let open = hops.indices.filter { hops[$0].response == nil }
        let index = open.last { hops[$0].metrics != nil || hops[$0].receivedBytes != nil } ?? open.last
        if let index { traces[event.requestID]?.hops[index].responded(head, at: event.instant) }
    }

    private mutating func change(_ event: SessionEvent) {
        guard event.hop > 0, let index = index(of: event) else { return }
        traces[event.requestID]?.hops[index].receive(event, bodyLimit)
    }

    private func index(of event: SessionEvent) -> Int? {
        traces[event.requestID]?.hops.lastIndex { $0.hop == event.hop }
    }
}

extension HARExchange {
    fileprivate mutating func receive(_ event: SessionEvent, _ bodyLimit: Int) {
        switch event.event {
        case .sent(let head): sent(head)
        case .admitted(let time): blocked = (blocked ?? .zero) + time
        case .connected(let connection): self.connection = connection
        case .sentBody(let bytes, _): (sentBytes, bodySentAt) = (bytes, event.instant)
        case .requestBody(let data): requestBody.append(data, limit: bodyLimit)
        case .response(let head): responded(head, at: event.instant)
        case .challenged(let head), .redirected(let head, _), .replaced(let head):
            responded(head, at: event.instant, isFollowed: true)
        case .receivedBody(let bytes):
            receivedBytes = bytes
            respondedAt = respondedAt ?? event.instant
        case .responseBody(let data): responseBody.append(data, limit: bodyLimit)
        case .transferred(let metrics): transferred(metrics, at: event.instant)
        default: break
        }
    }

    fileprivate func ended(at instant: Duration) -> HARExchange {
        var copy = self
        copy.finish(at: instant)
        if response == nil { copy.error = AsyncNetError(.cancelled, "The transfer was not needed any more") }
        return copy
    }

    /// Takes what only the end of the request has reported.
    fileprivate mutating func complete(_ metrics: RequestMetrics) {
        if receivedBytes == nil, response != nil, !isFollowed { receivedBytes = metrics.receivedBytes }
    }
}
