import Foundation

/// The bytes of a JSON text, or an error with the code `.decodingFailed` in place of a damaged text.
typealias JSONSequenceItem = Result<Data, AsyncNetError>

/// A sequence of JSON texts: one per line (NDJSON, JSON Lines), or each after a record separator (RFC 7464).
///
/// Responses of type `application/json-seq`, or with the suffix `+json-seq` (RFC 8091), have separators. For other
/// types the first byte decides: a separator, 0x1E, cannot begin a JSON text. Texts are delimited here, not parsed;
/// white space around them is removed.
///
/// Lines end at LF; a CR before it is white space; blank lines are skipped. With separators a text may have several
/// lines; it is returned at the first line feed after its end, without waiting for the next separator. Damaged texts
/// are errors in the sequence, which continues after the next separator (RFC 7464 §2.3): a text that is cut off; a
/// number, `true`, `false` or `null` without white space after it, since it may be incomplete (§2.4); and bytes without
/// a separator before them.
struct JSONSequenceParser: StreamParser {
    private var framing: Framing?
    private(set) var lines: LineSplitter
    private(set) var texts: JSONTextSplitter
    private var failure = PendingFailure()
    private let limit: Int

    private enum Framing { case lines, texts }

    /// - Parameter limit: The number of bytes of a text, with white space. A longer text is the error `.lineTooLong`,
    ///   after which the parser fails.
    init(mediaType: MediaType? = nil, limit: Int = StreamLimit.item) {
        let isSequence = mediaType.map { $0.subtype == "json-seq" || $0.subtype.hasSuffix("+json-seq") } ?? false
        framing = isSequence ? .texts : nil
        lines = LineSplitter(breaks: .lineFeed, limit: limit)
        texts = JSONTextSplitter(limit: limit)
        self.limit = limit
    }

    mutating func receive(_ chunk: Data) throws(AsyncNetError) -> [JSONSequenceItem] {
        var found: [JSONSequenceItem] = []
        guard let first = chunk.first else { return try failure.returning(found) }
        framing = framing ?? (first == JSONTextSplitter.separator ? .texts : .lines)
        if framing == .texts {
            texts.receive(chunk) { found.append($0) }
        } else {
            lines.receive(chunk) { Self.take($0, &found) }
        }
        if lines.isTooLong || texts.isTooLong { failure.fail("A JSON text", limit: limit) }
        return try failure.returning(found)
    }

    mutating func finish() throws(AsyncNetError) -> [JSONSequenceItem] {
        var found: [JSONSequenceItem] = []
        lines.finish { Self.take($0, &found) }
        texts.finish { found.append($0) }
        return try failure.returning(found)
    }

    private static func take(_ line: StreamBytes, _ found: inout [JSONSequenceItem]) {
        let text = JSONTextSplitter.trimmed(line)
        if !text.isEmpty { found.append(.success(Data(buffer: text))) }
    }
}
