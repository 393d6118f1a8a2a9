import AsyncNet

extension MetricsSnapshot {
    init(_ state: MetricsState, _ connections: ConnectionTable) {
        let table = state.table
        let hops = state.hops.points(table)
        let endpoints = table.points.map { (labels: $0.labels, value: state[$0.index]) }
        func count(_ value: (EndpointValues) -> Int) -> [(labels: [String: String], value: Int)] {
            endpoints.map { ($0.labels, value($0.value)) }
        }
        requestDuration = MetricHistogram(
            "http.client.request.duration", "Duration of HTTP client requests.", .seconds,
            hops.map { ($0.labels, $0.value.duration) })
        activeRequests = MetricCount(
            "http.client.active_requests", "Number of active HTTP requests.", isMonotonic: false,
            count(\.active))
        requestBodySize = MetricHistogram(
            "http.client.request.body.size", "Size of HTTP client request bodies.", .bytes,
            hops.map { ($0.labels, $0.value.requestBody) })
        responseBodySize = MetricHistogram(
            "http.client.response.body.size", "Size of HTTP client response bodies.", .bytes,
            hops.map { ($0.labels, $0.value.responseBody) })
        openConnections = MetricCount(
            "http.client.open_connections", "Number of open connections that are active or idle.", isMonotonic: false,
            connections.points.flatMap { $1.states($0) })
        connectionDuration = MetricHistogram(
            "http.client.connection.duration", "Duration of connections from their opening to their end.",
            .connectionSeconds, connections.points.map { ($0, $1.durations) })
        outcomeDuration = MetricHistogram(
            "asyncnet.client.outcome.duration",
            "Duration of requests from their start to their end, with all attempts, redirects and waits.", .seconds,
            state.outcomes.points(table))
        permitWaitDuration = MetricHistogram(
            "asyncnet.client.permit.wait.duration", "Duration of waits for a limit on the rate or number of transfers.",
            .seconds, endpoints.map { ($0.labels, $0.value.permitWait) })
        queuedRequests = MetricCount(
            "asyncnet.client.queued_requests", "Number of transfers that wait for a limit.", isMonotonic: false,
            count(\.queued))
        retries = MetricCount(
            "asyncnet.client.retries", "Attempts that another attempt followed.", state.retries.points(table))
        redirects = MetricCount(
            "asyncnet.client.redirects", "Redirects that were followed.",
            count(\.redirects))
        hedges = MetricCount(
            "asyncnet.client.hedges", "Transfers that hedging added.", count(\.hedges))
        sharedRequests = MetricCount(
            "asyncnet.client.shared_requests", "Attempts that waited for a transfer which equal requests may share.",
            count(\.shared))
        repeats = MetricCount(
            "asyncnet.client.repeats", "Requests that the transport sent again after a reused connection had ended.",
            count(\.repeats))
        connectionUses = MetricCount(
            "asyncnet.client.connection.uses", "Number of hops, by whether their connection was new or reused.",
            endpoints.flatMap { $0.value.uses($0.labels) })
        certificateExpiry = MetricCount(
            "asyncnet.client.certificate.expiry.timestamp.seconds",
            "Time when the latest certificate of the server expires, in seconds since 1970.", isMonotonic: false,
            endpoints.compactMap { point in point.value.certificateExpiry.map { (point.labels, $0) } })
        cacheOutcomes = MetricCount(
            "asyncnet.client.cache.outcomes", "Hops by what the cache did for them.",
            endpoints.flatMap { $0.value.outcomes($0.labels) })
        credentialRefreshes = MetricCount(
            "asyncnet.client.credential.refreshes", "Waits of requests for a new credential.",
            state.refreshes.points(table))
        decodingDuration = MetricHistogram(
            "asyncnet.client.decoding.duration", "Duration of the serialization of responses.", .seconds,
            state.decodings.points(table))
        lostEvents = MetricCount(
            "asyncnet.client.events.lost", "Events that are not counted in these metrics.", [([:], state.lostEvents)])
    }
}

extension ConnectionCounts {
    fileprivate func states(_ labels: [String: String]) -> [(labels: [String: String], value: Int)] {
        let open = open
        return [("active", open.active), ("idle", open.idle)].map { state, count in
            (labels.merging(["http.connection.state": state]) { $1 }, count)
        }
    }
}

extension EndpointValues {
    fileprivate func outcomes(_ labels: [String: String]) -> [(labels: [String: String], value: Int)] {
        cached.sorted { $0.key.rawValue < $1.key.rawValue }.map { outcome, count in
            (labels.merging(["asyncnet.cache.outcome": outcome.rawValue]) { $1 }, count)
        }
    }

    fileprivate func uses(_ labels: [String: String]) -> [(labels: [String: String], value: Int)] {
        [("false", newConnections), ("true", reusedConnections)].map { isReused, count in
            (labels.merging(["asyncnet.connection.reused": isReused]) { $1 }, count)
        }
    }
}
