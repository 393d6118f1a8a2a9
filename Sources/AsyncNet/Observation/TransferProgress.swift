/// How far a transfer has come.
public struct TransferProgress: Sendable, Hashable {
    /// Bytes moved so far.
    public let completedBytes: Int64
    /// Bytes to move in all; `nil` while that is unknown, as it is for encoded and chunked bodies until their end.
    public let totalBytes: Int64?
    /// Average since the transfer's first byte was waited for.
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
}
