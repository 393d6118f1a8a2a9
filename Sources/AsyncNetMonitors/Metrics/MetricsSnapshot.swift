import AsyncNet

/// The values of a ``MetricsMonitor`` at one time.
///
/// Names without `asyncnet` come from OpenTelemetry's semantic conventions for HTTP. Labels of requests are
/// `http.request.method`, `server.address`, `server.port`, `url.scheme`, and `url.template` if the request was made
/// with a `URLTemplate`.
public struct MetricsSnapshot: Sendable {
    // MARK: OpenTelemetry's metrics

    /// `http.client.request.duration`: how long each hop took that was sent, from its beginning to the end of its
    /// transfer. Also labelled with `http.response.status_code`, `network.protocol.version`, and `error.type`: the
    /// `AsyncNetError.Code` that ended the transfer, or a status of 400 or more, as in spans. A validator's refusal is
    /// no error of the hop. A hop that was cancelled has no error, nor has a hedged transfer if another one was faster.
    /// A transfer that equal requests share counts for each of them.
    public let requestDuration: MetricHistogram<Duration>
    /// `http.client.active_requests`: the transfers that run.
    public let activeRequests: MetricCount
    /// `http.client.request.body.size`: the bodies that were sent, in bytes, labelled as ``requestDuration``. A request
    /// without a body has no size.
    public let requestBodySize: MetricHistogram<Int64>
    /// `http.client.response.body.size`: the bodies that were received, in bytes, labelled as ``requestDuration``:
    /// before decoding of their content coding, or after it if the transport does not count bytes on the wire. A
    /// response without a body has no size.
    public let responseBodySize: MetricHistogram<Int64>

    /// `http.client.open_connections`: the connections that are open, by `server.address`, `server.port` and
    /// `url.scheme` of the first request over them, and by `http.connection.state`: `active` while a transfer uses a
    /// connection, else `idle`, in the transport's pool. Only over sockets.
    public let openConnections: MetricCount
    /// `http.client.connection.duration`: connections that were closed, from their first request's beginning on;
    /// labelled as ``openConnections``, without the state.
    public let connectionDuration: MetricHistogram<Duration>

    // MARK: AsyncNet's metrics

    /// `asyncnet.client.outcome.duration`: requests as the program made them, from their start to their end, with all
    /// attempts, redirects and waits. Also labelled with `http.response.status_code` and `error.type`: the code of the
    /// request's error, or a status of 400 or more. A request that was cancelled has no error.
    public let outcomeDuration: MetricHistogram<Duration>
    /// `asyncnet.client.permit.wait.duration`: waits for a limit on the rate or the number of transfers, including
    /// waits that a request's end broke off.
    public let permitWaitDuration: MetricHistogram<Duration>
    /// `asyncnet.client.queued_requests`: the transfers that wait for a limit.
    public let queuedRequests: MetricCount
    /// `asyncnet.client.retries`: attempts that another attempt followed, labelled with the earlier one's `error.type`;
    /// without that label if a stream connected again after the end of its response.
    public let retries: MetricCount
    /// `asyncnet.client.redirects`: redirects that were followed.
    public let redirects: MetricCount
    /// `asyncnet.client.hedges`: transfers that a `HedgingPolicy` added.
    public let hedges: MetricCount
    /// `asyncnet.client.shared_requests`: attempts that waited for a transfer which equal requests may share, see
    /// `SessionConfiguration.coalescesRequests`.
    public let sharedRequests: MetricCount
    /// `asyncnet.client.repeats`: requests that the transport sent again, since a reused connection had ended.
    public let repeats: MetricCount
    /// `asyncnet.client.connection.uses`: hops whose transfer ended, by whether their connection had carried an earlier
    /// transfer, which is the label `asyncnet.connection.reused`.
    public let connectionUses: MetricCount
    /// `asyncnet.client.certificate.expiry.timestamp.seconds`: until when the last certificate that a server showed is
    /// valid, in seconds since 1970. Only over sockets.
    public let certificateExpiry: MetricCount
    /// `asyncnet.client.cache.outcomes`: hops, and stored responses without a hop, by what the session's cache
    /// did. The label `asyncnet.cache.outcome` has the `CacheOutcome`.
    public let cacheOutcomes: MetricCount
    /// `asyncnet.client.credential.refreshes`: waits of requests for a new credential, labelled with `error.type` if
    /// the refresh failed.
    public let credentialRefreshes: MetricCount
    /// `asyncnet.client.decoding.duration`: serializers' runs, labelled with `error.type` if they failed.
    public let decodingDuration: MetricHistogram<Duration>
    /// `asyncnet.client.events.lost`: events that are not counted here, since a program that passes events on to
    /// `EventMonitor.receive(_:)` was too slow. 0 for a session's own monitor.
    public let lostEvents: MetricCount

    /// Everything in Prometheus's text format, version 0.0.4: the `Content-Type` is `text/plain; version=0.0.4`.
    public func prometheusText() -> String {
        var text = PrometheusText()
        text.add(requestDuration)
        text.add(activeRequests)
        text.add(requestBodySize)
        text.add(responseBodySize)
        text.add(openConnections)
        text.add(connectionDuration)
        text.add(outcomeDuration)
        text.add(permitWaitDuration)
        text.add(queuedRequests)
        for count in [
            retries, redirects, hedges, sharedRequests, repeats, connectionUses, certificateExpiry, cacheOutcomes,
            credentialRefreshes,
        ] { text.add(count) }
        text.add(decodingDuration)
        text.add(lostEvents)
        return text.text
    }
}
