public import AsyncNet
package import Foundation

/// Counts and measures all requests of the sessions that it monitors.
///
///     let metrics = MetricsMonitor()
///     let session = Session(configuration: .init(monitors: [metrics]))
///     metrics.prometheusText()                                // for a page that Prometheus reads
///     metrics.snapshot().requestDuration.percentile(0.99)     // within 1 percent
///
/// Names, units, labels and buckets follow OpenTelemetry's semantic conventions for HTTP; in Prometheus's text `_` is
/// written for `.`, and the unit stands at the end. As these conventions require, each hop counts: a retry, a redirect
/// and the response to a challenge are separate requests in ``MetricsSnapshot/requestDuration``. A duration is the time
/// from `RequestEvent.hop(_:)` to the end of the transfer, with the wait for a connection and the response's body.
/// ``MetricsSnapshot/outcomeDuration`` has the requests as the program made them.
///
/// A request is counted when it has ended, before its outcome is returned to the caller. Memory is limited by
/// `labelLimit`, whatever hosts are requested or redirected to: a set of labels takes some kilobytes, at most 60. A
/// monitor may be used by several sessions, and from any thread.
public final class MetricsMonitor: ImmediateMonitor {
    /// The methods that are values of `http.request.method`: the methods of RFC 9110 §9, PATCH (RFC 5789) and QUERY.
    public static let standardMethods: Set<HTTPMethod> = SemanticConventions.methods

    private let state: Locked<MetricsState>
    private let connections: Locked<ConnectionTable>

    /// Makes a monitor that has counted nothing.
    ///
    /// - Parameters:
    ///   - labelLimit: How many sets of labels each metric has, 1,000 by default and 1 at least. All further sets count
    ///     under the single label `otel.metric.overflow`, so that sums stay correct.
    ///   - methods: The methods that are values of `http.request.method`; others are `_OTHER`.
    public init(labelLimit: Int = 1000, methods: Set<HTTPMethod> = MetricsMonitor.standardMethods) {
        state = Locked(MetricsState(limit: labelLimit, methods: methods))
        connections = Locked(ConnectionTable(limit: max(1, labelLimit)))
    }

    /// Only the events that cost little time.
    public var interests: EventInterests { .minimal }

    package func receiveNow(_ event: SessionEvent) {
        guard event.event.isMeasured || event.lostBefore > 0 else { return }
        state.withLock { $0.receive(event) }
    }

    /// All values up to now.
    public func snapshot() -> MetricsSnapshot { MetricsSnapshot(state.withLock { $0 }, connections.withLock { $0 }) }

    /// All values up to now in Prometheus's text format, version 0.0.4; the same values always make the same text.
    public func prometheusText() -> String { snapshot().prometheusText() }
}

extension MetricsMonitor: ConnectionObserver {
    package func follower(ofConnectionTo url: URL) -> any ConnectionFollower {
        connections.withLock { $0.counts(of: url) }.connection()
    }
}

extension RequestEvent {
    /// Whether a metric needs the event.
    fileprivate var isMeasured: Bool {
        switch self {
        case .created, .resumed, .suspended, .adapted, .validated, .connected, .sent, .informational, .sentBody,
            .receivedBody, .requestBody, .responseBody, .cookiesStored, .connection:
            false
        default: true
        }
    }
}
