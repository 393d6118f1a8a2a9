public import Foundation

/// What was measured of one request, redirects and every attempt included.
public struct RequestMetrics: Sendable {
    /// When the request began to be sent, by the wall clock.
    public var start = Date()
    /// The time from the start to the head of the final response; `nil` without a response.
    public var timeToResponse: Duration?
    /// The time from the start to the end of the request's last transfer, with all attempts and the delays between
    /// them.
    public var total: Duration = .zero
    /// The time for serializing the response; zero until that is done.
    public var serialization: Duration = .zero

    /// How many times the request was sent, redirects not counted: its attempts, and each time that a transport sent
    /// the request again by itself.
    public var attempts = 0
    /// The URLs that redirects led to, in order.
    public var redirects: [URL] = []

    /// Bytes of the request's body passed to the network, the last time that it was sent.
    public var sentBytes: Int64 = 0
    /// Bytes of the last response's body, after decoding of Content-Encoding.
    public var receivedBytes: Int64 = 0

    /// What the session's cache did for the last hop that it was asked about; `nil` without a cache.
    public var cacheOutcome: CacheOutcome?

    /// Shared, since the outcome of a request and its events have the same measurements; `nil` if nothing is known.
    private var measured: SharedValue<TransportMetrics>?
    var transport: TransportMetrics { measured?.value ?? TransportMetrics() }
    private var hopList = HopList()

    /// Metrics of a request that has not begun.
    public init() {}

    /// The last 100 hops of all attempts, in their order: for a download, the hops of its first segment, and for a
    /// hedged request, the hops of the transfer whose response was used.
    public var hops: [HopMetrics] {
        get { hopList.all(transport) }
        set {
            measured = newValue.last.map { SharedValue($0.transport) }
            hopList = HopList(newValue)
        }
    }

    /// When name lookup, connecting and so on were complete in the last hop; `nil` if the transport does not measure
    /// them.
    public var timings: TransferTimings? { transport.timings }

    /// The bytes of the last hop on the wire, heads included; `nil` if the transport does not count them.
    public var wireBytes: WireBytes? { transport.wireBytes }

    /// The HTTP version of the last hop, such as `HTTP/1.1` or `HTTP/2`; `nil` if the transport does not know it.
    public var httpVersion: String? { transport.httpVersion }

    /// Whether the last hop used a connection that was open already; `nil` if the transport does not know that.
    public var isConnectionReused: Bool? { transport.isConnectionReused }

    /// The IP address of the server or the proxy in the last hop; `nil` if the transport does not know it.
    public var remoteAddress: String? { transport.remoteAddress }

    /// The certificates of the last hop; see ``TransportMetrics/serverCertificates``.
    public var serverCertificates: [ServerCertificate] { transport.serverCertificates }

    /// The last second at which the certificate of the last hop's server is valid; `nil` without TLS, and if the
    /// transport does not report it.
    public var certificateExpiry: Date? { transport.certificateExpiry }

    mutating func beginHop(_ head: HTTPRequestHead, attempt: Int, at start: Duration) {
        hopList.begin(head, attempt: attempt, at: start, after: transport)
        measured = nil
    }

    mutating func hopReceived(_ statusCode: Int) { hopList.receive(statusCode) }

    mutating func hopMeasured(_ transport: TransportMetrics) { measured = SharedValue(transport) }
}

extension RequestMetrics: ShownByDescription {
    public var description: String {
        let first = timeToResponse.map { "response after \($0), " } ?? ""
        return "\(first)total \(total), \(attempts) attempt(s), \(redirects.count) redirect(s), "
            + "\(sentBytes) bytes sent, \(receivedBytes) received"
    }
}
