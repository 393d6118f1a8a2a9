package import Foundation

/// A text's bytes, or why there is none; then the code is `.decodingFailed`.
package typealias JSONSequenceItem = Result<Data, AsyncNetError>

/// JSON texts one after another: a line each (NDJSON, JSON Lines), or a record separator before each (RFC 7464).
///
/// A response of type `application/json-seq`, or of one that ends in `+json-seq` (RFC 8091), is a sequence of texts
/// with separators. Any other is told by its first byte: a separator, 0x1E, can begin no JSON text. Texts are not
/// parsed here, only found; the white space around them is removed.
///
/// Lines end at LF, a carriage return before it is white space; blank ones are skipped. With separators a text may be
/// of several lines; it is returned at the first line feed after its end, without waiting for the next separator. What
/// is damaged is a failure in its place, and the sequence goes on after the next separator (RFC 7464 §2.3): a text that
/// was cut off, a number, `true`, `false` or `null` that no white space follows, since more of it may be missing
/// (§2.4), and bytes that no separator precedes.
package struct JSONSequenceParser: StreamParser {
    private var framing: Framing?
    private var lines: LineSplitter
    private var texts: JSONTextSplitter
    private var failure = PendingFailure()
    private let limit: Int

    private enum Framing { case lines, texts }

    /// - Parameters:
    ///   - mediaType: The response's type; `nil` lets the first byte decide.
    ///   - limit: Bytes that a text may have, white space counted. Beyond it the error is `.lineTooLong`, and the
    ///     parser fails.
    package init(mediaType: MediaType? = nil, limit: Int = LineParser.defaultLimit) {
        let isSequence = mediaType.map { $0.subtype == "json-seq" || $0.subtype.hasSuffix("+json-seq") } ?? false
        framing = isSequence ? .texts : nil
        lines = LineSplitter(breaks: .lineFeed, limit: limit)
        texts = JSONTextSplitter(limit: limit)
        self.limit = limit
    }

    package mutating func receive(_ chunk: Data) throws(AsyncNetError) -> [JSONSequenceItem] {
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

    package mutating func finish() throws(AsyncNetError) -> [JSONSequenceItem] {
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
