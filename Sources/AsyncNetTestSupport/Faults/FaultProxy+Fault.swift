extension FaultProxy {
    /// What a proxy does to the bytes of one direction, after the list of toxiproxy.
    ///
    /// Times are real time. Faults of one direction add up: latencies are summed, and the lowest limit counts.
    public enum Fault: Hashable, Sendable {
        /// Bytes arrive later by the duration, and by a random part of the jitter. Their order stays.
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
        /// The connection is closed when this number of bytes have passed since it had the fault.
        case limitData(bytes: Int)
        /// Nothing passes, the end of the direction neither: the other side is taken for alive.
        case halfOpen
        /// No connection can be made, and those that exist are reset; of both directions.
        ///
        /// A share below one does not close the port: those connections are reset when they are accepted.
        case down

        /// Whether bytes are dropped. A connection whose bytes are missing cannot go on without the fault.
        var drops: Bool {
            switch self {
            case .timeout, .halfOpen: true
            default: false
            }
        }
    }

    /// The way of the bytes that a fault is for.
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
