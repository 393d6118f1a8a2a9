import Foundation

/// The smoothed rate of a transfer: bytes moved four seconds ago have the weight `1/e`.
///
/// Bytes and time have the same weights, so the rate is correct from the first update, at any intervals.
struct RateEstimate: Sendable {
    private static let memory = 4.0

    private var bytes: Int64 = 0
    private var last = Duration.zero
    private var fadedBytes = 0.0
    private var fadedTime = 0.0

    /// Begins in the middle of a transfer, with its average rate: `moved` bytes in `time`.
    mutating func begin(at moved: Int64, _ time: Duration) {
        let seconds = max(0.001, time / .seconds(1))
        fadedTime = min(seconds, Self.memory)
        fadedBytes = Double(moved) * fadedTime / seconds
        (bytes, last) = (moved, time)
    }

    var isNew: Bool { bytes == 0 }

    var bytesPerSecond: Double { fadedTime > 0 ? fadedBytes / fadedTime : 0 }

    /// - Parameter total: The number of bytes moved since the start; after a smaller number, counting starts from it.
    mutating func update(_ total: Int64, at time: Duration) {
        let seconds = max(0, (time - last) / .seconds(1))
        let rest = exp(-seconds / Self.memory)
        fadedBytes = fadedBytes * rest + Double(max(0, total - bytes))
        fadedTime = fadedTime * rest + Self.memory * (1 - rest)
        (bytes, last) = (total, max(time, last))
    }
}
