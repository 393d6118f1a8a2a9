extension FaultProxy {
    /// What a proxy does to the bytes of one direction. The faults are those of the proxy toxiproxy.
    ///
    /// Times are real time. Faults of one direction add up: latencies are summed, and the lowest limit counts.
    public enum Fault: Hashable, Sendable {
        /// Bytes arrive later by the duration and a random part of the jitter, in their order.
        case latency(Duration, jitter: Duration = .zero)
        /// At most this number of bytes per second pass on each connection. Below 1 counts as 1.
        case bandwidth(bytesPerSecond: Int)
        /// The end of a direction arrives later than its last byte.
        case slowClose(delay: Duration)
        /// All bytes are dropped, and the connection is closed when it has had the fault for this long.
        case timeout(after: Duration)
        /// The connection is reset, both ways, this long after the first bytes of the direction, which do not pass.
        case resetPeer(after: Duration = .zero)
        /// Bytes pass in slices of random sizes up to the variation above or below the average, with a delay between
        /// them.
        case slicer(averageSize: Int, variation: Int = 0, delay: Duration = .zero)
        /// The connection is closed when this number of bytes have passed since it got the fault.
        case limitData(bytes: Int)
        /// All bytes are dropped, and the end of the direction does not pass: the peer seems to be alive.
        case halfOpen
        /// No connection can be made, and those that exist are reset. The direction does not matter.
        ///
        /// With a share below 1 the port stays open, and that share of connections is reset when they are accepted.
        case down

        /// Whether the fault drops bytes. A connection that misses bytes is reset when the fault is removed.
        var drops: Bool {
            switch self {
            case .timeout, .halfOpen: true
            default: false
            }
        }
    }

    /// The direction of the bytes that a fault affects.
    public enum Direction: Hashable, Sendable, CaseIterable {
        /// From the client to the server.
        case upstream
        /// From the server to the client.
        case downstream
    }

    /// Identifies a fault of a proxy, to change or remove it.
    public struct FaultID: Hashable, Sendable {
        let number: Int
    }
}
