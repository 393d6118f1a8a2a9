import AsyncNet
import AsyncNetMonitors

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
        Dimensions().adding(errorType: SemanticConventions.errorType(ofOutcomeWith: nil, error))
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
        case .hopEnded(let summary): endHop(summary, event)
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
        for hop in track.hops { instruments.decrement("http.client.active_requests", hop.endpoint) }
        for wait in track.waits { instruments.decrement("asyncnet.client.queued_requests", wait.endpoint) }
    }

    private mutating func retry(_ error: AsyncNetError?, _ event: SessionEvent) {
        let type = SemanticConventions.errorType(ofOutcomeWith: error?.statusCode, error)
        let endpoint = tracks[event.requestID]?.endpoint ?? [:]
        instruments.count("asyncnet.client.retries", endpoint.adding(errorType: type))
    }

    private mutating func finish(_ error: AsyncNetError?, _ event: SessionEvent) {
        let (track, summary) = (tracks.removeValue(forKey: event.requestID), event.summary)
        for wait in track?.waits ?? [] { end(wait, after: event.instant - wait.start) }
        // The end of a hop may be among lost events.
        for hop in track?.hops ?? [] { instruments.decrement("http.client.active_requests", hop.endpoint) }
        let endpoint = track?.first ?? summary?.request.map { endpoints.dimensions($0, summary?.urlTemplate) } ?? [:]
        let status = summary?.response?.statusCode
        instruments.record(
            "asyncnet.client.outcome.duration", summary?.metrics.total ?? .zero,
            endpoint.adding(status: status, errorType: SemanticConventions.errorType(ofOutcomeWith: status, error)))
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
        tracks[event.requestID]?.open(event, endpoint)
        instruments.increment("http.client.active_requests", endpoint)
    }

    private mutating func endHop(_ summary: HopSummary, _ event: SessionEvent) {
        guard let endpoint = tracks[event.requestID]?.close(event) else { return }
        instruments.decrement("http.client.active_requests", endpoint)
        if case .redirected = summary.ending {
            instruments.count("asyncnet.client.redirects", endpoint)
            tracks[event.requestID]?.isRedirected = true
        }
        let transport = summary.metrics.transport
        let dimensions = endpoint.adding(
            status: summary.response?.statusCode, version: transport.httpVersion ?? summary.response?.httpVersion,
            errorType: SemanticConventions.errorType(of: summary))
        instruments.record("http.client.request.duration", summary.duration, dimensions)
        let (sent, received) = (transport.wireBytes?.sentBody, transport.wireBytes?.receivedBody)
        instruments.record("http.client.request.body.size", bytes: sent ?? summary.sentBytes, dimensions)
        instruments.record("http.client.response.body.size", bytes: received ?? summary.receivedBytes, dimensions)
    }
}
