import AsyncNet
import Foundation

/// One line on the terminal for a transfer that lasts: percent, rate and remaining time.
struct ProgressLine: Sendable {
    /// A shorter transfer shows nothing.
    private let patience = Duration.seconds(1)
    private let interval = Duration.milliseconds(200)

    func follow(_ progress: some AsyncSequence<TransferProgress, Never> & Sendable) async {
        let clock = ContinuousClock()
        var due = clock.now + patience
        var isShown = false
        for await step in progress where clock.now >= due {
            Console.show("\r\u{1B}[K\(text(step))")
            isShown = true
            due = clock.now + interval
        }
        // The terminal is clean before the body or an error comes.
        if isShown { Console.show("\r\u{1B}[K") }
    }

    private func text(_ step: TransferProgress) -> String {
        let rate = "\(Self.size(step.bytesPerSecond))/s"
        guard let total = step.totalBytes, step.bytesPerSecond > 0 else {
            return "\(Self.size(Double(step.completedBytes)))  \(rate)"
        }
        let rest = max(0, Double(total - step.completedBytes) / step.bytesPerSecond)
        return "\(Int(step.fractionCompleted * 100))%  \(rate)  \(Int(rest.rounded(.up))) s left"
    }

    private static func size(_ bytes: Double) -> String {
        let units = ["B", "KiB", "MiB", "GiB"]
        let power = bytes < 1 ? 0 : min(units.count - 1, Int(log2(bytes) / 10))
        return String(format: "%.1f ", bytes / pow(1024, Double(power))) + units[power]
    }
}
