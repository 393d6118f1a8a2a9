import AsyncNet

/// Makes measurements of events: follows the requests that run, and records what has ended.
struct Recording: Sendable {
    private var instruments: Instruments
    private var endpoints: Endpoints
    /// The requests that have begun an attempt and have not ended.
    private var tracks: [RequestID: RequestTrack] = [:]
    private let trackLimit: Int

    /// - Parameter trackLimit: How many requests are followed at a time.
    init(_ instruments: Instruments, _ endpoints: Endpoints, trackLimit: Int = 100_000) {
        (self.instruments, self.endpoints, self.trackLimit) = (instruments, endpoints, max(2, trackLimit))
    }

    mutating func receive(_ event: SessionEvent) {
        if event.lostBefore > 0 { lose(event.lostBefore) }
        switch event.event {
        case .attempt(_, let head): beginAttempt(head, event)
        case .hop(let head): beginHop(head, event)
        case .finished(let error): finish(error, event)
        case .decoded(_, let time, let error):
            instruments.record("asyncnet.client.decoding.duration", time, Self.dimensions(of: error))
        case .refreshed(let error, _):
            instruments.count("asyncnet.client.credential.refreshes", Self.dimensions(of: error))
        default: receiveStep(event)
        }
    }

    /// Any request's end may be among the lost events: what ran until now does not count as active or waiting any more.
    private mutating func lose(_ count: Int) {
        instruments.count("asyncnet.client.events.lost", by: count)
        for id in tracks.keys { forget(id) }
    }

    private static func dimensions(of error: AsyncNetError?) -> Dimensions {
        Dimensions().adding(errorType: ErrorType.ofHop(nil, error))
    }

    /// An event of a request that has begun an attempt.
    private mutating func receiveStep(_ event: SessionEvent) {
        let id = event.requestID
        switch event.event {
        case .queued: queue(event)
        case .admitted(let time): if let wait = tracks[id]?.endWait() { end(wait, after: time) }
        case .shared: count("asyncnet.client.shared_requests", id)
        case .hedged: count("asyncnet.client.hedges", id)
        case .repeated: count("asyncnet.client.repeats", id)
        case .connected(let connection): count(connection, id)
        case .cached(let outcome): count("asyncnet.client.cache.outcomes", id, "asyncnet.cache.outcome", "\(outcome)")
        case .replaced(let head): tracks[id]?.update(event.hop) { $0.replaced(head) }
        case .failureReplaced(let error):
            if let hop = tracks[id]?.close(event.hop) { record(hop, event.instant, error) }
        case .response(let head): tracks[id]?.update(event.hop) { $0.received(head) }
        case .transferred(let metrics): endTransfer(metrics, event)
        case .challenged(let head): close(head, event)
        case .redirected(let head, _):
            count("asyncnet.client.redirects", id)
            tracks[id]?.isRedirected = true
            close(head, event)
        case .retried(let error, _): retry(error, event)
        default: break
        }
    }

    private mutating func count(_ label: String, _ id: RequestID) {
        if let endpoint = tracks[id]?.endpoint { instruments.count(label, endpoint) }
    }

    private mutating func count(_ connection: ConnectionInfo, _ id: RequestID) {
        guard let isReused = connection.isReused else { return }
        count("asyncnet.client.connection.uses", id, "asyncnet.connection.reused", "\(isReused)")
    }

    /// With one more dimension.
    private mutating func count(_ label: String, _ id: RequestID, _ dimension: String, _ value: String) {
        guard var dimensions = tracks[id]?.endpoint else { return }
        if dimensions != Endpoint.overflow { dimensions[dimension] = value }
        instruments.count(label, dimensions)
    }
}

// MARK: Attempts and outcomes

extension Recording {
    private mutating func beginAttempt(_ head: HTTPRequestHead, _ event: SessionEvent) {
        let endpoint = endpoints.dimensions(head, event.urlTemplate)
        if tracks[event.requestID] == nil {
            if tracks.count >= trackLimit { forgetOldest() }
            tracks[event.requestID] = RequestTrack(endpoint)
        }
        tracks[event.requestID]?.endpoint = endpoint
        tracks[event.requestID]?.isRedirected = false
    }

    /// Forgets the older half of the requests: requests whose ends were lost would otherwise be kept for ever.
    private mutating func forgetOldest() {
        for id in tracks.keys.sorted().prefix(tracks.count / 2) { forget(id) }
    }

    private mutating func forget(_ id: RequestID) {
        guard let track = tracks.removeValue(forKey: id) else { return }
        for hop in track.hops where hop.end == nil { endActivity(of: hop) }
        for wait in track.waits { instruments.decrement("asyncnet.client.queued_requests", wait.endpoint) }
    }

    private mutating func retry(_ error: AsyncNetError?, _ event: SessionEvent) {
        let type = ErrorType.ofOutcome(error?.responseCode, error)
        let endpoint = tracks[event.requestID]?.endpoint ?? [:]
        instruments.count("asyncnet.client.retries", endpoint.adding(errorType: type))
        for hop in tracks[event.requestID]?.closeAll() ?? [] { record(hop, event.instant, error) }
    }

    private mutating func finish(_ error: AsyncNetError?, _ event: SessionEvent) {
        let (track, summary) = (tracks.removeValue(forKey: event.requestID), event.summary)
        if let track { end(track, error, event) }
        let endpoint = track?.first ?? summary?.request.map { endpoints.dimensions($0, summary?.urlTemplate) } ?? [:]
        let status = summary?.response?.statusCode
        instruments.record(
            "asyncnet.client.outcome.duration", summary?.metrics.total ?? .zero,
            endpoint.adding(status: status, errorType: ErrorType.ofOutcome(status, error)))
    }

    private mutating func end(_ track: RequestTrack, _ error: AsyncNetError?, _ event: SessionEvent) {
        for (index, hop) in track.hops.enumerated() {
            let isDelivered = index == track.deliveredHop && !hop.isReplaced
            record(hop, event.instant, error, isDelivered ? event.summary?.metrics : nil)
        }
        for wait in track.waits { end(wait, after: event.instant - wait.start) }
    }
}

// MARK: Permits

extension Recording {
    private mutating func queue(_ event: SessionEvent) {
        guard let endpoint = tracks[event.requestID]?.endpoint else { return }
        tracks[event.requestID]?.wait(since: event.instant)
        instruments.increment("asyncnet.client.queued_requests", endpoint)
    }

    private mutating func end(_ wait: RequestTrack.Wait, after time: Duration) {
        instruments.decrement("asyncnet.client.queued_requests", wait.endpoint)
        instruments.record("asyncnet.client.permit.wait.duration", time, wait.endpoint)
    }
}

// MARK: Hops

extension Recording {
    private mutating func beginHop(_ head: HTTPRequestHead, _ event: SessionEvent) {
        if tracks[event.requestID] == nil { beginAttempt(head, event) }
        let isRedirected = tracks[event.requestID]?.isRedirected == true
        let endpoint = endpoints.dimensions(head, isRedirected ? nil : event.urlTemplate)
        tracks[event.requestID]?.open(event.hop, endpoint, at: event.instant)
        instruments.increment("http.client.active_requests", endpoint)
    }

    /// The hop is not active any more; whether it failed, its attempt's outcome decides.
    private mutating func endTransfer(_ metrics: TransportMetrics, _ event: SessionEvent) {
        var ended: RequestTrack.OpenHop?
        tracks[event.requestID]?.update(event.hop) { hop in
            if hop.end == nil { ended = hop }
            hop.end = event.instant
            hop.version = metrics.httpVersion ?? hop.version
            hop.wireBytes = metrics.wireBytes
        }
        if let ended { endActivity(of: ended) }
    }

    private mutating func endActivity(of hop: RequestTrack.OpenHop) {
        instruments.decrement("http.client.active_requests", hop.endpoint)
    }

    /// A response that another hop follows.
    private mutating func close(_ head: HTTPResponseHead, _ event: SessionEvent) {
        guard var hop = tracks[event.requestID]?.close(event.hop) else { return }
        hop.received(head)
        record(hop, event.instant, nil)
    }

    /// - Parameter metrics: The sizes of bodies for a hop whose transport has not reported them.
    private mutating func record(
        _ hop: RequestTrack.OpenHop, _ instant: Duration, _ error: AsyncNetError?, _ metrics: RequestMetrics? = nil
    ) {
        if hop.end == nil { endActivity(of: hop) }
        let dimensions = hop.endpoint.adding(
            status: hop.status, version: hop.version, errorType: ErrorType.ofHop(hop.status, error))
        instruments.record("http.client.request.duration", (hop.end ?? instant) - hop.start, dimensions)
        let (sent, received) = (hop.wireBytes?.sentBody, hop.wireBytes?.receivedBody)
        instruments.record("http.client.request.body.size", bytes: sent ?? metrics?.sentBytes, dimensions)
        instruments.record("http.client.response.body.size", bytes: received ?? metrics?.receivedBytes, dimensions)
    }
}
