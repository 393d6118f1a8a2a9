import Foundation

/// Splits UTF-8 text into lines without their breaks: LF, CRLF or CR, in any mix.
///
/// Lines are split as bytes and then decoded, so a chunk may end inside a character. Invalid UTF-8 becomes U+FFFD. A
/// byte order mark at the start is removed. A last line without a break counts, unless it is empty.
struct LineParser: StreamParser {
    private var splitter: LineSplitter
    private var failure = PendingFailure()
    private let limit: Int

    /// - Parameter limit: How many bytes a line may have without its break, which also limits the memory between
    ///   chunks. A longer line is the error `.lineTooLong`.
    init(limit: Int = StreamLimit.line) {
        self.limit = limit
        splitter = LineSplitter(limit: limit)
    }

    mutating func receive(_ chunk: Data) throws(AsyncNetError) -> [String] {
        var lines: [String] = []
        splitter.receive(chunk) { lines.append(String(decoding: $0, as: UTF8.self)) }
        if splitter.isTooLong { failure.fail("A line", limit: limit) }
        return try failure.returning(lines)
    }

    mutating func finish() throws(AsyncNetError) -> [String] {
        var lines: [String] = []
        splitter.finish { lines.append(String(decoding: $0, as: UTF8.self)) }
        return try failure.returning(lines)
    }
}
