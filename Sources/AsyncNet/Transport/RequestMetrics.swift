public import Foundation

/// What was measured of one request, redirects and every attempt included.
public struct RequestMetrics: Sendable {
    /// When the request began to be sent, by the wall clock.
    public var start = Date()
    /// The time from the start to the head of the final response; `nil` without a response.
    public var timeToResponse: Duration?
    /// The time from the start to the end of the transfer.
    public var total: Duration = .zero
    /// The time for serializing the response; zero until that is done.
    public var serialization: Duration = .zero

    /// How many times the request was sent, redirects not counted: its attempts, and each time that a transport sent
    /// the request again by itself.
    public var attempts = 0
    /// The URLs that redirects led to, in order.
    public var redirects: [URL] = []

    /// Bytes of request bodies passed to the network.
    public var sentBytes: Int64 = 0
    /// Bytes of the body received, after decoding of Content-Encoding.
    public var receivedBytes: Int64 = 0

    /// When name lookup, connecting and so on were complete in the last hop; `nil` if the transport does not measure
    /// this.
    public var timings: TransferTimings?
    /// The bytes of the last hop on the wire, heads included; `nil` if the transport does not count them.
    public var wireBytes: WireBytes?
    /// The HTTP version, such as `HTTP/1.1` or `HTTP/2`; `nil` if the transport does not know it.
    public var httpVersion: String?
    /// Whether the last hop used a connection that was open already; `nil` if the transport does not know that.
    public var isConnectionReused: Bool?
    /// The IP address of the server or the proxy; `nil` if the transport does not know it.
    public var remoteAddress: String?

    /// Metrics of a request that has not begun.
    public init() {}
}

extension RequestMetrics: CustomStringConvertible, CustomReflectable {
    /// What `dump` shows: no URLs, as a query may be secret.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }

    public var description: String {
        let first = timeToResponse.map { "response after \($0), " } ?? ""
        return "\(first)total \(total), \(attempts) attempt(s), \(redirects.count) redirect(s), "
            + "\(sentBytes) bytes sent, \(receivedBytes) received"
    }
}
