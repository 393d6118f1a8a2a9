import Foundation
import Timelines

/// Standard output for bodies, standard error for the rest; both unbuffered.
enum Console {
    /// A reader that goes away must show as a write that fails, not as a signal that kills. A standard stream that is
    /// closed gets a descriptor that it cannot use: the first socket would take its number, and get the body.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// All of the data, or an error.
    static func write(_ data: Data) throws(ExitError) {
        guard !data.isEmpty else { return }
        let write = { () throws(ExitError) in
            do {
                try FileHandle.standardOutput.write(contentsOf: data)
            } catch {
                throw ExitError(
                    ExitStatus.cannotWrite, "Standard output cannot be written to. \(ExitError.cause(error)).")
            }
        }
        if Terminal.isOutput { try ProgressBoard.shared.above(write) } else { try write() }
    }

    /// A line on standard error, in one write, so that lines of parallel transfers stay whole.
    static func note(_ line: String) {
        ProgressBoard.shared.above { show("\(line)\n") }
    }

    /// Text of others for standard error: what a terminal would execute, or which would hide other text, as its number.
    static func harmless(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { shown, scalar in
            switch scalar.properties.generalCategory {
            case .control where scalar != "\n" && scalar != "\t", .format, .lineSeparator, .paragraphSeparator:
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
    }

    /// Sends standard error to a file, or, by "-", to standard output.
    static func redirectErrors(to name: String) throws(ExitError) {
        let file = name == "-" ? STDOUT_FILENO : open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard file >= 0, dup2(file, STDERR_FILENO) >= 0 else {
            throw ExitError(
                ExitStatus.cannotWrite, "The file \(name) cannot be written to. \(String(cString: strerror(errno))).")
        }
    }

    /// The colours of standard error.
    static let ink = Ink(isTerminal: isatty(STDERR_FILENO) == 1, environment: ProcessInfo.processInfo.environment)

    /// How wide the terminal of standard error is; 80 where it does not say.
    static var columns: Int {
        var size = winsize()
        let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? Int(size.ws_col) : 80
    }

    /// Text on standard error that need not be a line.
    static func write(error text: String) {
        ProgressBoard.shared.above { show(text) }
    }

    private static func show(_ text: String) {
        // There is nowhere to tell of an error with standard error.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
