/// The progress of a transfer.
public struct TransferProgress: Sendable, Hashable {
    /// The number of bytes moved; a resumed download includes the bytes that it started with.
    public let completedBytes: Int64
    /// The total number of bytes; `nil` while it is unknown, as for compressed and chunked bodies.
    public let totalBytes: Int64?
    /// The current rate, a weighted average of the last seconds. Bytes from before the transfer do not count.
    public let bytesPerSecond: Double

    /// Creates a progress value, for tests.
    public init(completedBytes: Int64, totalBytes: Int64?, bytesPerSecond: Double) {
        self.completedBytes = completedBytes
        self.totalBytes = totalBytes
        self.bytesPerSecond = bytesPerSecond
    }

    func hasSameBytes(as other: TransferProgress) -> Bool {
        completedBytes == other.completedBytes && totalBytes == other.totalBytes
    }

    /// The fraction from 0 to 1; 0 while the total is unknown.
    public var fractionCompleted: Double {
        guard let totalBytes, totalBytes > 0 else { return totalBytes == nil ? 0 : 1 }
        return min(1, max(0, Double(completedBytes) / Double(totalBytes)))
    }

    /// The time that the remaining bytes take at the current rate; `nil` while the total or the rate is unknown.
    public var remainingTime: Duration? {
        guard let totalBytes else { return nil }
        guard completedBytes < totalBytes else { return .zero }
        guard bytesPerSecond > 0 else { return nil }
        // At most a century, since a duration has only 64 bits of seconds.
        return .seconds(min(3_155_760_000, (Double(totalBytes) - Double(completedBytes)) / bytesPerSecond))
    }
}
