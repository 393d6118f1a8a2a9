package import Foundation

/// Lines of text in UTF-8, without their breaks: LF, CRLF or CR, in any mix.
///
/// Bytes are cut first and decoded then, so that a character may be cut by a chunk. What is no UTF-8 becomes U+FFFD. A
/// byte order mark at the start is dropped, as ``StringSerializer`` drops it. A last line without a break counts, an
/// empty one after the last break does not.
package struct LineParser: StreamParser {
    /// 1 MiB.
    package static let defaultLimit = 1 << 20

    private var splitter: LineSplitter
    private var failure = PendingFailure()
    private let limit: Int

    /// - Parameter limit: Bytes that a line may have, its break not counted. Beyond it the error is `.lineTooLong`; no
    ///   more than this is kept in memory between chunks.
    package init(limit: Int = Self.defaultLimit) {
        self.limit = limit
        splitter = LineSplitter(limit: limit)
    }

    package mutating func receive(_ chunk: Data) throws(AsyncNetError) -> [String] {
        var lines: [String] = []
        splitter.receive(chunk) { lines.append(String(decoding: $0, as: UTF8.self)) }
        if splitter.isTooLong { failure.fail("A line", limit: limit) }
        return try failure.returning(lines)
    }

    package mutating func finish() throws(AsyncNetError) -> [String] {
        var lines: [String] = []
        splitter.finish { lines.append(String(decoding: $0, as: UTF8.self)) }
        return try failure.returning(lines)
    }
}
