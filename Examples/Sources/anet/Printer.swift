import AsyncNet
import Foundation
import Timelines

/// Prints outcomes in order: one that comes before its turn is kept until then.
struct Printer: Sendable {
    private(set) var failure: ExitError?
    /// Standard output takes no more.
    private(set) var isClosed = false
    private let options: Client.Options
    private let writeOut: WriteOut?
    private let heads: HeadFile?
    private var early: [Int: Outcome] = [:]
    private var next = 0

    /// - Throws: ``ExitError`` for a file of --write-out or --dump-header that cannot be used.
    init(_ options: Client.Options) throws(ExitError) {
        self.options = options
        let format = options.output.writeOut
        writeOut = try format.map { text throws(ExitError) in
            text.hasPrefix("@") ? WriteOut(String(decoding: try Input.read(text), as: UTF8.self)) : WriteOut(text)
        }
        heads = try options.output.dumpHeader.map(HeadFile.init)
    }

    mutating func take(_ outcome: Outcome) {
        early[outcome.call.number] = outcome
        while !isClosed, let outcome = early.removeValue(forKey: next) {
            print(outcome, options.label(next))
            next += 1
        }
    }

    private mutating func print(_ outcome: Outcome, _ label: String) {
        var outcome = outcome
        let body: Data
        do throws(ExitError) { body = try shown(outcome) } catch {
            outcome.failure = outcome.failure ?? error
            body = Data()
        }
        do throws(ExitError) {
            try heads?.write(outcome.heads)
            try Console.write(head(outcome) + body)
            try write(outcome)
        } catch {
            (failure, isClosed) = (error, true)
            return
        }
        if let timeline = outcome.timeline { show(timeline, label) }
        for note in outcome.notes { Console.note(note) }
        if let failure = outcome.failure { tell(ExitError(failure.status, "\(label)\(failure.reason)")) }
    }

    private func show(_ timeline: RequestTimeline, _ label: String) {
        let table = TimingTable(timeline, columns: Console.columns - label.count, Console.ink)
        Console.note(table.lines.map { "\(label)\($0)" }.joined(separator: "\n"))
    }

    /// With -L the heads of all hops, as curl has it. A stream's is printed before its body.
    private func head(_ outcome: Outcome) -> Data {
        let isInFile = options.isHead && outcome.file != nil
        guard options.output.include || options.isHead, !isInFile, options.transfer.stream == nil else { return Data() }
        if options.transfer.noBuffer, options.count == 1, outcome.body == nil, !options.isHead { return Data() }
        let heads = options.transfer.location ? outcome.heads : [outcome.head].compactMap { $0 }
        return Data(heads.map(\.lines).joined().utf8)
    }

    private func shown(_ outcome: Outcome) throws(ExitError) -> Data {
        guard let body = outcome.body else { return Data() }
        guard Terminal.isOutput, outcome.call.output == nil else { return body }
        return try Terminal.shown(body, type: outcome.head?.mediaType)
    }

    private func write(_ outcome: Outcome) throws(ExitError) {
        guard let texts = writeOut?.texts(of: outcome) else { return }
        try Console.write(Data(texts.output.utf8))
        if !texts.error.isEmpty { Console.write(error: texts.error) }
    }

    /// The first failure decides the status, so its line is the last. Ctrl-C outdoes it, with one line for all
    /// requests.
    private mutating func tell(_ new: ExitError) {
        guard let first = failure else { return failure = new }
        let isInterrupted = new.status == ExitStatus.interrupted
        if isInterrupted { failure = new }
        let shown = isInterrupted ? first : new
        if shown.status != ExitStatus.interrupted { Console.note(shown.line) }
    }
}

/// `--dump-header`: the heads of all responses.
struct HeadFile: Sendable {
    private let name: String
    /// `nil` for standard output. A pipe is opened only once: its reader would see an end after each opening.
    private let file: FileHandle?

    /// Empties the file.
    init(_ name: String) throws(ExitError) {
        self.name = name
        guard name != "-" else {
            file = nil
            return
        }
        let descriptor = open(name, O_WRONLY | O_CREAT | O_CLOEXEC | O_TRUNC | O_APPEND, 0o666)
        guard descriptor >= 0 else { throw AtomicFile.unwritable(name, String(cString: strerror(errno))) }
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    func write(_ heads: [HTTPResponseHead]) throws(ExitError) {
        let text = Data(heads.map(\.lines).joined().utf8)
        guard let file else { return try Console.write(text) }
        do { try file.write(contentsOf: text) } catch { throw AtomicFile.unwritable(name, ExitError.cause(error)) }
    }
}
