import AsyncNet
import Foundation

/// A line on the terminal for a transfer that lasts: percent, a bar, size, rate and remaining time.
struct ProgressLine: Sendable {
    let id: Int
    /// Before the rest, so that one knows which of several transfers this is; may be empty.
    let label: String
    /// A shorter transfer shows nothing.
    let patience: Duration
    private let interval = Duration.milliseconds(200)

    /// - Parameter width: The width of the label; 0 for none.
    init(of call: Call, width: Int, _ options: OutputOptions) {
        id = call.number
        patience = options.progressBar ? .zero : .seconds(1)
        let name = Self.name(of: call)
        label = width == 0 ? "" : name + String(repeating: " ", count: max(0, width - name.count) + 1)
    }

    /// How wide the labels of several transfers are.
    static func width(for calls: [Call]) -> Int {
        calls.count > 1 ? calls.map { name(of: $0).count }.max() ?? 0 : 0
    }

    private static func name(of call: Call) -> String {
        let file = if case .file(let name)? = call.output { name } else { call.text }
        return String((URLText.fileName(of: file) ?? file).prefix(20))
    }

    func follow(_ progress: some AsyncSequence<TransferProgress, Never> & Sendable) async {
        let clock = ContinuousClock()
        var due = clock.now + patience
        for await step in progress where clock.now >= due {
            let text = Self.text(step, columns: Console.columns - label.count)
            ProgressBoard.shared.show("\(label)\(text)", of: id)
            due = clock.now + interval
        }
        // The terminal is clean before the body or an error comes.
        ProgressBoard.shared.remove(id)
    }

    /// At most one column less than there are, so that no terminal wraps it. The bar takes what is left, and goes first
    /// where nothing is.
    static func text(_ step: TransferProgress, columns: Int) -> String {
        let room = max(0, columns - 1)
        let done = size(Double(step.completedBytes))
        let rate = "\(size(step.bytesPerSecond))/s"
        guard let total = step.totalBytes else { return String("\(done)  \(rate)".prefix(room)) }
        let percent = padded("\(Int(step.fractionCompleted * 100))%", 4)
        let sizes = "\(done)/\(size(Double(total)))"
        let rest = step.remainingTime.map { "  \(time($0)) left" } ?? ""
        let text = "  \(sizes)  \(rate)\(rest)"
        let width = room - percent.count - text.count - 3
        guard width >= 10 else { return String("\(percent)  \(rate)\(rest)".prefix(room)) }
        return "\(percent) \(bar(step.fractionCompleted, width: width))\(text)"
    }

    private static func bar(_ fraction: Double, width: Int) -> String {
        let done = Int(fraction * Double(width))
        let head = done < width ? ">" : ""
        return "[" + String(repeating: "=", count: done) + head
            + String(repeating: " ", count: max(0, width - done - head.count)) + "]"
    }

    static func time(_ duration: Duration) -> String {
        let seconds = Int((duration / .seconds(1)).rounded(.up))
        if seconds < 60 { return "\(seconds) s" }
        if seconds < 3600 { return "\(seconds / 60):\(padded("\(seconds % 60)", 2, "0"))" }
        if seconds < 360_000 {
            return "\(seconds / 3600):\(padded("\(seconds / 60 % 60)", 2, "0")):\(padded("\(seconds % 60)", 2, "0"))"
        }
        return "days"
    }

    private static func padded(_ text: String, _ width: Int, _ filler: Character = " ") -> String {
        String(repeating: filler, count: max(0, width - text.count)) + text
    }

    private static func size(_ bytes: Double) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB"]
        let power = bytes < 1 ? 0 : min(units.count - 1, Int(log2(bytes) / 10))
        return String(format: power == 0 ? "%.0f " : "%.1f ", bytes / pow(1024, Double(power))) + units[power]
    }
}
