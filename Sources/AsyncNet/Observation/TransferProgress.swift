/// How far a transfer has come.
public struct TransferProgress: Sendable, Hashable {
    /// Bytes moved so far; in a download that goes on, what was there before included.
    public let completedBytes: Int64
    /// Bytes to move in all; `nil` while that is unknown, as it is for encoded and chunked bodies until their end.
    public let totalBytes: Int64?
    /// The rate of late: what was moved in the last seconds counts most. What was there before the transfer does not
    /// count.
    public let bytesPerSecond: Double

    public init(completedBytes: Int64, totalBytes: Int64?, bytesPerSecond: Double) {
        self.completedBytes = completedBytes
        self.totalBytes = totalBytes
        self.bytesPerSecond = bytesPerSecond
    }

    /// From 0 to 1; 0 while the total is unknown.
    public var fractionCompleted: Double {
        guard let totalBytes, totalBytes > 0 else { return totalBytes == nil ? 0 : 1 }
        return min(1, Double(completedBytes) / Double(totalBytes))
    }

    /// How long the rest takes at this rate; `nil` while total or rate are unknown.
    public var remainingTime: Duration? {
        guard let totalBytes else { return nil }
        guard completedBytes < totalBytes else { return .zero }
        // A century at most: a duration holds no more than 64 bits of seconds.
        guard bytesPerSecond > 0 else { return nil }
        return .seconds(min(3_155_760_000, Double(totalBytes - completedBytes) / bytesPerSecond))
    }
}
