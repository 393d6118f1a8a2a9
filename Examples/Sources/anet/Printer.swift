import AsyncNet

/// What is printed of a reply.
struct Printing: Sendable {
    let options: OutputOptions
    let isHead: Bool
    /// With several URLs, lines on standard error say which one they are about.
    let isLabelled: Bool

    func label(_ index: Int) -> String { isLabelled ? "[\(index + 1)] " : "" }
}

/// Prints replies in order: one that comes before its turn is kept until then.
struct Printer {
    private(set) var failure: ExitError?
    /// Standard output takes no more.
    private(set) var isClosed = false
    private let printing: Printing
    private var early: [Int: Reply] = [:]
    private var next = 0

    init(_ printing: Printing) { self.printing = printing }

    mutating func take(_ reply: Reply, _ index: Int) {
        early[index] = reply
        while !isClosed, let reply = early.removeValue(forKey: next) {
            print(reply, printing.label(next))
            next += 1
        }
    }

    private mutating func print(_ reply: Reply, _ label: String) {
        do throws(ExitError) {
            try reply.print(printing)
        } catch {
            (failure, isClosed) = (error, true)
            return
        }
        if printing.options.timing { Console.note(Timeline(reply.metrics).text(label)) }
        if let error = reply.error { tell(error, label) }
    }

    /// The first failure decides the status, so its line is the last. Ctrl-C outdoes it, with one line for all
    /// requests.
    private mutating func tell(_ error: AsyncNetError, _ label: String) {
        let new = ExitError(error, label)
        guard let first = failure else { return failure = new }
        let isInterrupted = new.status == ExitStatus.interrupted
        if isInterrupted { failure = new }
        let shown = isInterrupted ? first : new
        if shown.status != ExitStatus.interrupted { Console.note(shown.line) }
    }
}
