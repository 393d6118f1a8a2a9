import Foundation

/// Standard output for bodies, standard error for the rest; both unbuffered.
enum Console {
    /// A reader that goes away must show as a write that fails, not as a signal that kills. And a standard stream that
    /// is closed is filled up, read-only, or the first socket would take its number and get the body.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", O_RDONLY)
        }
    }

    /// All of the data, or an error.
    static func write(_ data: Data) throws(ExitError) {
        guard !data.isEmpty else { return }
        do {
            try FileHandle.standardOutput.write(contentsOf: data)
        } catch {
            throw ExitError(ExitStatus.cannotWrite, "Standard output cannot be written to. \(ExitError.cause(error)).")
        }
    }

    /// A line on standard error, in one write, so that lines of parallel transfers stay whole.
    static func note(_ line: String) {
        show("\(line)\n")
    }

    /// How wide the terminal of standard error is; 80 where it does not say.
    static var columns: Int {
        var size = winsize()
        let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? Int(size.ws_col) : 80
    }

    static func show(_ text: String) {
        // There is nowhere to tell of an error with standard error.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
