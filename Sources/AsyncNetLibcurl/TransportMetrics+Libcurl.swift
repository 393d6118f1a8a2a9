import AsyncNet
import CAsyncNetLibcurl

extension TransportMetrics {
    init(_ metrics: lc_metrics, _ certificates: [String]) {
        let isReused = metrics.new_connections == 0 && metrics.first_byte > 0
        // Of a reused connection libcurl reports how long finding it took, not how long connecting took.
        func ifNew(_ microseconds: Int64) -> Duration { isReused ? .zero : .microseconds(microseconds) }
        self.init(
            httpVersion: Self.version(metrics.http_version),
            isConnectionReused: metrics.first_byte > 0 ? isReused : nil,
            remoteAddress: metrics.address.flatMap { $0.pointee == 0 ? nil : String(cString: $0) },
            timings: TransferTimings(
                nameLookup: ifNew(metrics.name_lookup), connect: ifNew(metrics.connect),
                tlsHandshake: ifNew(metrics.tls),
                firstByte: .microseconds(metrics.first_byte), total: .microseconds(metrics.total)),
            wireBytes: WireBytes(
                sentHead: Int64(metrics.sent_head), sentBody: metrics.sent_body,
                receivedHead: Int64(metrics.received_head),
                receivedBody: metrics.received_body), certificates: certificates)
    }

    private static func version(_ number: Int) -> String? {
        switch number {
        case 1: "HTTP/1.0"
        case 2: "HTTP/1.1"
        case 3: "HTTP/2"
        case 30: "HTTP/3"
        default: nil
        }
    }
}
