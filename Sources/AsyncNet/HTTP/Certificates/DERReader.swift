/// Reads the elements of a DER encoding one after another (ITU-T X.690 §8.1, §10.1).
///
/// Lengths are checked against the bytes that are there. Tags of more than one byte, indefinite lengths and lengths
/// that are longer than necessary, which DER does not have in certificates, are refused.
struct DERReader {
    struct Element: Equatable {
        let tag: UInt8
        let content: ArraySlice<UInt8>
        /// Tag, length and content.
        let encoding: ArraySlice<UInt8>
    }

    enum Tag {
        static let boolean: UInt8 = 0x01
        static let integer: UInt8 = 0x02
        static let octetString: UInt8 = 0x04
        static let objectIdentifier: UInt8 = 0x06
        static let utcTime: UInt8 = 0x17
        static let generalizedTime: UInt8 = 0x18
        static let sequence: UInt8 = 0x30
        static let set: UInt8 = 0x31
    }

    struct Malformed: Error, Equatable {
        let reason: String
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func next() throws(Malformed) -> Element {
        let start = rest
        let tag = try byte()
        guard tag & 0x1F != 0x1F else { throw Malformed(reason: "a tag has more than one byte") }
        let length = try length()
        guard length <= rest.count else { throw Malformed(reason: "an element is longer than what contains it") }
        let content = rest.prefix(length)
        rest = rest.dropFirst(length)
        return Element(tag: tag, content: content, encoding: start.prefix(content.endIndex - start.startIndex))
    }

    mutating func next(_ tag: UInt8) throws(Malformed) -> Element {
        guard let element = try nextIf(tag) else { throw Malformed(reason: "an element has another type") }
        return element
    }

    /// The next element if it has this tag; otherwise nothing is read.
    mutating func nextIf(_ tag: UInt8) throws(Malformed) -> Element? {
        guard rest.first == tag else { return nil }
        return try next()
    }

    mutating func enter(_ tag: UInt8 = Tag.sequence) throws(Malformed) -> DERReader {
        DERReader(try next(tag).content)
    }

    private mutating func byte() throws(Malformed) -> UInt8 {
        guard let byte = rest.popFirst() else { throw Malformed(reason: "the bytes end inside an element") }
        return byte
    }

    private mutating func length() throws(Malformed) -> Int {
        let first = try byte()
        guard first >= 0x80 else { return Int(first) }
        guard (0x81...0x84).contains(first) else { throw Malformed(reason: "an element's length is not valid") }
        var length = 0
        for _ in 0x80..<first { length = length << 8 | Int(try byte()) }
        let isShortest = length >= 0x80 && length >> (8 * (Int(first) - 0x81)) > 0
        guard isShortest else { throw Malformed(reason: "an element's length is not in its shortest form") }
        return length
    }
}
