import Foundation

/// Splits chunks into the texts of a JSON text sequence (RFC 7464). Of a text only strings and brackets are parsed.
struct JSONTextSplitter {
    static let separator: UInt8 = 0x1E

    private(set) var isTooLong = false
    private let limit: Int
    private(set) var pending: [UInt8] = []
    private var place = Place.outside
    private var nesting = Nesting()

    private enum Place {
        /// No separator since the last text: only white space is allowed.
        case outside
        /// Bytes without a separator before them, for which an error was reported: they are dropped.
        case skipping
        /// After a separator: in a text, or in white space before it.
        case inText
    }

    init(limit: Int) { self.limit = limit }

    mutating func receive(_ chunk: Data, _ take: (JSONSequenceItem) -> Void) {
        guard !isTooLong else { return }
        chunk.withUnsafeBytes { split($0.bindMemory(to: UInt8.self), take) }
    }

    /// Ends the sequence, and passes on the text that has not ended before.
    mutating func finish(_ take: (JSONSequenceItem) -> Void) {
        guard !isTooLong, place == .inText else { return }
        endText(take)
        place = .outside
    }

    private mutating func split(_ chunk: StreamBytes, _ take: (JSONSequenceItem) -> Void) {
        var start = 0
        for (index, byte) in chunk.enumerated() where advance(byte, take) {
            keep(StreamBytes(rebasing: chunk[start..<index]))
            guard !isTooLong else { return }
            endText(take)
            place = byte == Self.separator ? .inText : .outside
            start = index + 1
        }
        keep(StreamBytes(rebasing: chunk[start...]))
    }

    /// Reads a byte; returns whether it ends a text or a damaged text.
    private mutating func advance(_ byte: UInt8, _ take: (JSONSequenceItem) -> Void) -> Bool {
        if byte == Self.separator { return true }
        switch place {
        case .inText: return nesting.advance(byte)
        case .outside where !Self.isSpace(byte):
            take(
                .failure(
                    AsyncNetError(.decodingFailed, "A record separator is missing in the JSON text sequence")
                ))
            place = .skipping
        case .outside, .skipping: break
        }
        return false
    }

    private mutating func keep(_ bytes: StreamBytes) {
        guard place == .inText else { return }
        let kept =
            pending.isEmpty
            ? StreamBytes(rebasing: bytes[(bytes.firstIndex { !Self.isSpace($0) } ?? bytes.count)...]) : bytes
        isTooLong = pending.count + kept.count > limit
        if isTooLong { pending = [] } else { pending.append(contentsOf: kept) }
    }

    private mutating func endText(_ take: (JSONSequenceItem) -> Void) {
        defer {
            pending.reuse()
            nesting = Nesting()
        }
        guard let first = pending.first, place == .inText else { return }
        // Objects, arrays and strings mark their own end (RFC 7464 §2.4).
        let isDelimited = "{[\"".utf8.contains(first) || nesting.hasBreak || pending.last.map(Self.isSpace) == true
        guard nesting.isClosed, isDelimited else {
            return take(.failure(AsyncNetError(.decodingFailed, "A JSON text of the sequence is cut off")))
        }
        pending.withUnsafeBufferPointer { take(.success(Data(buffer: Self.trimmed($0)))) }
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    static func trimmed(_ bytes: StreamBytes) -> StreamBytes {
        var (start, end) = (0, bytes.count)
        while start < end, isSpace(bytes[start]) { start += 1 }
        while end > start, isSpace(bytes[end - 1]) { end -= 1 }
        return StreamBytes(rebasing: bytes[start..<end])
    }
}

/// The depth of brackets at a position in a JSON text, and whether it is in a string.
private struct Nesting {
    /// Whether a line feed outside of strings and brackets ended the text.
    private(set) var hasBreak = false
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var hasContent = false

    var isClosed: Bool { depth == 0 && !isInString }

    /// Reads a byte; returns whether it is a line feed that ends the text.
    mutating func advance(_ byte: UInt8) -> Bool {
        guard !isInString else {
            advanceInString(byte)
            return false
        }
        switch byte {
        case UInt8(ascii: "\n"):
            hasBreak = hasContent && depth == 0
            return hasBreak
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth = max(0, depth - 1)
        default: break
        }
        if !JSONTextSplitter.isSpace(byte) { hasContent = true }
        return false
    }

    private mutating func advanceInString(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
        }
    }
}
