import Foundation

/// The rate of a transfer, smoothed: an average in which what was moved some seconds ago counts `1/e` of what is moved
/// now.
///
/// Bytes and time fade alike, so it is right from the first step on, however unevenly the steps come.
package struct RateEstimate: Sendable {
    /// In seconds.
    private let memory: Double
    private var bytes: Int64 = 0
    private var last: Duration
    private var fadedBytes = 0.0
    private var fadedTime = 0.0

    package init(memory: Duration = .seconds(4), start: Duration = .zero) {
        self.memory = max(0.001, memory / .seconds(1))
        last = start
    }

    package var bytesPerSecond: Double { fadedTime > 0 ? fadedBytes / fadedTime : 0 }

    /// - Parameters:
    ///   - total: How many bytes were moved since the start; fewer than before begin anew.
    ///   - time: When, in a time that does not go back.
    package mutating func update(_ total: Int64, at time: Duration) {
        let seconds = max(0, (time - last) / .seconds(1))
        let rest = exp(-seconds / memory)
        fadedBytes = fadedBytes * rest + Double(max(0, total - bytes))
        fadedTime = fadedTime * rest + memory * (1 - rest)
        (bytes, last) = (total, max(time, last))
    }
}
