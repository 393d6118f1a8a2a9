import Synchronization

extension MetricsSnapshot {
    init(_ state: MetricsState) {
        let (hops, endpoints) = (state.points(of: state.hops), state.endpoints.copy.points)
        func count(_ value: (EndpointCounts) -> Int) -> [(labels: [String: String], value: Int)] {
            endpoints.map { ($0.labels, value($0.counts)) }
        }
        requestDuration = MetricHistogram(
            "http.client.request.duration", "Duration of HTTP client requests.", .seconds,
            hops.map { ($0.labels, $0.value.duration) })
        activeRequests = MetricCount(
            "http.client.active_requests", "Number of active HTTP requests.", isMonotonic: false,
            count { $0.active.value })
        requestBodySize = MetricHistogram(
            "http.client.request.body.size", "Size of HTTP client request bodies.", .bytes,
            hops.map { ($0.labels, $0.value.requestBody) })
        responseBodySize = MetricHistogram(
            "http.client.response.body.size", "Size of HTTP client response bodies.", .bytes,
            hops.map { ($0.labels, $0.value.responseBody) })
        openConnections = MetricCount(
            "http.client.open_connections", "Number of open connections that are active or idle.", isMonotonic: false,
            state.connections.points.flatMap { $1.states($0) })
        connectionDuration = MetricHistogram(
            "http.client.connection.duration", "Duration of connections from their opening to their end.",
            .connectionSeconds, state.connections.points.map { ($0, $1.durations.withLock { $0 }) })
        outcomeDuration = MetricHistogram(
            "asyncnet.client.outcome.duration",
            "Duration of requests from their start to their end, with all attempts, redirects and waits.", .seconds,
            state.points(of: state.outcomes))
        permitWaitDuration = MetricHistogram(
            "asyncnet.client.permit.wait.duration", "Duration of waits for a limit on the rate or number of transfers.",
            .seconds, endpoints.map { ($0.labels, $0.counts.permitWaits.withLock { $0 }) })
        queuedRequests = MetricCount(
            "asyncnet.client.queued_requests", "Number of transfers that wait for a limit.", isMonotonic: false,
            count { $0.queued.value })
        retries = MetricCount(
            "asyncnet.client.retries", "Attempts that another attempt followed.", state.points(of: state.retries))
        redirects = MetricCount(
            "asyncnet.client.redirects", "Redirects that were followed.",
            count { $0.redirects.value })
        hedges = MetricCount(
            "asyncnet.client.hedges", "Transfers that hedging added.", count { $0.hedges.value })
        sharedRequests = MetricCount(
            "asyncnet.client.shared_requests", "Attempts that waited for a transfer which equal requests may share.",
            count { $0.shared.value })
        repeats = MetricCount(
            "asyncnet.client.repeats", "Requests that the transport sent again after a reused connection had ended.",
            count { $0.repeats.value })
        connectionUses = MetricCount(
            "asyncnet.client.connection.uses", "Hops by whether their connection had been used before.",
            endpoints.flatMap { $0.counts.uses($0.labels) })
        credentialRefreshes = MetricCount(
            "asyncnet.client.credential.refreshes", "Waits of requests for a new credential.",
            state.points(of: state.refreshes))
        decodingDuration = MetricHistogram(
            "asyncnet.client.decoding.duration", "Duration of the serialization of responses.", .seconds,
            state.points(of: state.decodings))
        lostEvents = MetricCount(
            "asyncnet.client.events.lost", "Events that are not counted in these metrics.", [([:], state.lostEvents)])
    }
}

extension MetricsState {
    fileprivate func points<Value>(of family: MetricFamily<Value>) -> [(labels: [String: String], value: Value)] {
        family.points(endpoints.copy)
    }
}

extension ConnectionCounts {
    fileprivate func states(_ labels: [String: String]) -> [(labels: [String: String], value: Int)] {
        [("active", active.load(ordering: .relaxed)), ("idle", idle.load(ordering: .relaxed))].map { state, count in
            (labels.merging(["http.connection.state": state]) { $1 }, count)
        }
    }
}

extension EndpointCounts {
    fileprivate func uses(_ labels: [String: String]) -> [(labels: [String: String], value: Int)] {
        let (new, reused) = (newConnections.value, reusedConnections.value)
        return [("false", new), ("true", reused)].map { isReused, count in
            (labels.merging(["asyncnet.connection.reused": isReused]) { $1 }, count)
        }
    }
}
