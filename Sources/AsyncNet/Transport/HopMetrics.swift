public import Foundation

/// The measurements of one hop: one request head and body as they were sent, and the response to them.
public struct HopMetrics: Sendable {
    /// The number of the attempt, from 1.
    public var attempt: Int
    /// The number of the hop within the attempt, from 1.
    public var hop: Int
    /// The method.
    public var method: HTTPMethod
    /// The URL, with its query.
    public var url: URL
    /// The response's status; `nil` without a response.
    public var statusCode: Int?
    /// The time from ``RequestMetrics/start`` to the hop's start. Negative if the hop belongs to a transfer that another
    /// request had begun, see ``SessionConfiguration/coalescesRequests``.
    public var start: Duration
    /// The transport's measurements of this hop.
    public var transport: TransportMetrics

    /// Makes a value, for tests of monitors.
    public init(
        attempt: Int = 1, hop: Int = 1, method: HTTPMethod = .get, url: URL, statusCode: Int? = nil,
        start: Duration = .zero, transport: TransportMetrics = TransportMetrics()
    ) {
        self.attempt = attempt
        self.hop = hop
        self.method = method
        self.url = url
        self.statusCode = statusCode
        self.start = start
        self.transport = transport
    }
}

extension HopMetrics: ShownByDescription {
    /// Attempt and hop, method, URL without secrets, and status: `1.2 GET https://example.com/a 200`.
    public var description: String {
        "\(attempt).\(hop) \(method) \(url.withoutSecrets) \(statusCode.map(String.init) ?? "without a response")"
    }
}

/// The hops of a request. The last one is stored without transport metrics and without an allocation: most requests
/// have a single hop.
struct HopList: Sendable {
    /// The last hop. The type is small, since each waiting request has a value of it.
    private struct Last: Sendable {
        let method: HTTPMethod
        let url: URL
        let startNanoseconds: Int64
        let attempt: UInt32
        let hop: UInt16
        /// The response's status; 0 without a response.
        var statusCode: UInt16 = 0
    }

    private var earlier: [HopMetrics] = []
    private var last: Last?

    /// How many hops are kept: a stream may connect again for weeks.
    static let capacity = 100

    init(_ hops: [HopMetrics] = []) { earlier = hops.suffix(Self.capacity) }

    func all(_ transport: TransportMetrics) -> [HopMetrics] {
        guard let last = metrics(transport) else { return earlier }
        return earlier + [last]
    }

    /// - Parameter transport: The measurements of the hop that was the last one until now.
    mutating func begin(_ head: HTTPRequestHead, attempt: Int, at start: Duration, after transport: TransportMetrics) {
        if let last = metrics(transport) {
            if earlier.count >= Self.capacity - 1 { earlier.removeFirst(earlier.count - Self.capacity + 2) }
            earlier.append(last)
        }
        let hop = earlier.last.map { $0.attempt == attempt ? $0.hop + 1 : 1 } ?? 1
        last = Last(
            method: head.method, url: head.url, startNanoseconds: start.wholeNanoseconds,
            attempt: UInt32(clamping: attempt), hop: UInt16(clamping: hop))
    }

    mutating func receive(_ statusCode: Int) { last?.statusCode = UInt16(clamping: statusCode) }

    private func metrics(_ transport: TransportMetrics) -> HopMetrics? {
        last.map { last in
            HopMetrics(
                attempt: Int(last.attempt), hop: Int(last.hop), method: last.method, url: last.url,
                statusCode: last.statusCode == 0 ? nil : Int(last.statusCode),
                start: .nanoseconds(last.startNanoseconds), transport: transport)
        }
    }
}
