public import AsyncNet
import AsyncNetMonitors
public import Metrics

/// Records all requests of a session into the metrics system of swift-metrics.
///
///     MetricsSystem.bootstrap(factory)
///     let session = Session(configuration: .init(monitors: [SwiftMetricsMonitor()]))
///
/// Names, dimensions and what is counted are those of AsyncNet's own `MetricsMonitor`, which follows OpenTelemetry's
/// semantic conventions for HTTP. Durations are timers, sizes in bytes are recorders, and numbers of what runs now are
/// meters:
///
/// - `http.client.request.duration`, timer: each time that a request was sent, from the hop's beginning to the end of
///   the transfer. `http.client.request.body.size` and `http.client.response.body.size`, recorders: of those that have
///   a body. Dimensions: `http.request.method`, `server.address`, `server.port`, `url.scheme`, `url.template` with a
///   template, `http.response.status_code`, `network.protocol.version`, and `error.type`: the code of an error, or
///   a status of 400 or above. A hop that was cancelled, or whose response a validator refused, has no error.
/// - `http.client.active_requests`, meter: the transfers that run.
/// - `asyncnet.client.outcome.duration`, timer: requests from their start to their end.
/// - `asyncnet.client.permit.wait.duration`, timer, and `asyncnet.client.queued_requests`, meter: waits for a limit.
/// - Counters: `asyncnet.client.retries`, `.redirects`, `.hedges`, `.shared_requests`, `.repeats`, `.connection.uses`
///   (dimension `asyncnet.connection.reused`), `.cache.outcomes` (dimension `asyncnet.cache.outcome`),
///   `.credential.refreshes`, `.events.lost`.
/// - `asyncnet.client.decoding.duration`, timer: serializers' runs.
///
/// The number of dimensions is bounded, whatever servers and redirects do, see
/// ``init(factory:endpointLimit:methods:)``. Values are recorded outside of the requests, soon after the events. The
/// monitor may be used by several sessions.
public actor SwiftMetricsMonitor: EventMonitor {
    private var recording: Recording

    /// The methods that are values of `http.request.method`: those of RFC 9110 §9, PATCH (RFC 5789) and QUERY.
    public static let standardMethods: Set<HTTPMethod> = [
        .connect, .delete, .get, .head, .options, .patch, .post, .put, .query, .trace,
    ]

    /// Makes a monitor.
    ///
    /// - Parameters:
    ///   - factory: Makes the instruments; `nil`, the default, is the factory of `MetricsSystem` at the first use of
    ///     each.
    ///   - endpointLimit: How many methods of servers, and templates, have dimensions of their own: 1,000 by default.
    ///     All others have the single dimension `otel.metric.overflow`, so that sums stay correct.
    ///   - methods: The methods that are values of `http.request.method`; others are `_OTHER`.
    public init(
        factory: (any MetricsFactory)? = nil, endpointLimit: Int = 1000,
        methods: Set<HTTPMethod> = SwiftMetricsMonitor.standardMethods
    ) {
        recording = Recording(Instruments(factory), Endpoints(limit: endpointLimit, methods: methods))
    }

    /// Nothing that costs time.
    public nonisolated var interests: EventInterests { .minimal }

    /// Records the event.
    public func receive(_ event: SessionEvent) { recording.receive(event) }
}
