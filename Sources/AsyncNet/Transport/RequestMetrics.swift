public import Foundation

/// What was measured of one request, redirects and every attempt included.
public struct RequestMetrics: Sendable {
    /// When the request began to be sent, by the wall clock.
    public var start = Date()
    /// From the start to the head of the final response; `nil` if none came.
    public var timeToResponse: Duration?
    /// From the start to the end of the transfer.
    public var total: Duration = .zero
    /// What turning the body into a value took; zero until that is done.
    public var serialization: Duration = .zero

    /// How many times the request was put on the wire, redirects not counted: attempts, and what a transport sent again
    /// by itself.
    public var attempts = 0
    /// Where redirects led, in order.
    public var redirects: [URL] = []

    /// Bytes of request bodies handed to the network.
    public var sentBytes: Int64 = 0
    /// Bytes of the body received, after decoding of Content-Encoding.
    public var receivedBytes: Int64 = 0

    /// When name lookup, connecting and so on were done in the last exchange; `nil` where the transport does not
    /// measure it.
    public var timings: TransferTimings?
    /// What went over the wire in the last exchange, heads included; `nil` where the transport does not count it.
    public var wireBytes: WireBytes?
    /// Such as `HTTP/1.1` or `HTTP/2`; `nil` where the transport does not know.
    public var httpVersion: String?
    /// Whether the last exchange used a connection that was open already; `nil` where the transport does not know.
    public var isConnectionReused: Bool?
    /// `nil` where the transport does not know.
    public var remoteAddress: String?

    /// Metrics of a request that has not begun.
    public init() {}
}

extension RequestMetrics: CustomStringConvertible, CustomReflectable {
    /// What `dump` shows: no URL, whose query may be secret.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }

    public var description: String {
        let first = timeToResponse.map { "response after \($0), " } ?? ""
        return "\(first)total \(total), \(attempts) attempt(s), \(redirects.count) redirect(s), "
            + "\(sentBytes) bytes sent, \(receivedBytes) received"
    }
}
