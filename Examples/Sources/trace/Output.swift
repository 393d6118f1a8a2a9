import Foundation
import Timelines

/// Standard output, as far as it is a terminal.
struct Output {
    private let ink: Ink
    private let columns: Int

    init(width: Int?) {
        let environment = ProcessInfo.processInfo.environment
        ink = Ink(isTerminal: isatty(STDOUT_FILENO) == 1, environment: environment)
        columns = width ?? Self.terminalColumns ?? environment["COLUMNS"].flatMap { Int($0) } ?? 100
    }

    func print(_ timeline: SessionTimeline) {
        Swift.print(Waterfall(timeline, columns: columns, ink).lines.joined(separator: "\n"))
    }

    func write(_ text: String, to file: String) throws {
        do { try Data(text.utf8).write(to: URL(fileURLWithPath: file)) } catch {
            throw Failure(description: "The file \(file) cannot be written. \(error.localizedDescription)")
        }
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static var terminalColumns: Int? {
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? Int(size.ws_col) : nil
    }
}
