/// A JSON document as a list of its names and values in order, with their positions in the bytes.
///
/// The tape is the first of two steps to a decoded type. It supports only documents without escaped or repeated names,
/// deep nesting or errors. For other documents, and for unsupported types, the caller uses `JSONDecoder`.
final class JSONTape {
    enum Kind: UInt8 { case null, yes, no, number, string, escapedString, array, object }

    struct Token {
        let kind: Kind
        /// The index of the first byte; for a string, of the byte after the opening quote.
        let start: Int32
        /// The index after the last byte; for a string, of the closing quote; for a container, how many values it has.
        var end: Int32 = 0
        /// The index of the token that follows this token and its contents.
        var next: Int32 = 0
        /// For an object: the index of the member that is probably read next.
        var cursor: Int32 = 0
    }

    /// Whether a value was not supported; the decoded result must then not be used.
    private(set) var hasGivenUp = false
    private(set) var tokens: ContiguousArray<Token> = []
    /// The document's bytes; empty once they may be invalid.
    private(set) var bytes: UnsafeBufferPointer<UInt8>

    /// The first number that could not be read as the requested type.
    private(set) var misfit: (token: Int, type: any Any.Type)?

    func noteMisfit(_ token: Int, _ type: any Any.Type) { misfit = misfit ?? (token, type) }

    /// Thrown where the tape cannot go on; the caller then uses a `JSONDecoder`.
    struct GivenUp: Error {}

    func giveUp() -> GivenUp {
        hasGivenUp = true
        return GivenUp()
    }

    /// Ends all access to the bytes.
    func close() {
        bytes = UnsafeBufferPointer(start: nil, count: 0)
        tokens = []
    }

    func remember(_ member: Int, of object: Int) { tokens[object].cursor = Int32(member) }

    private static let maximumDepth = 100

    /// `nil` if the document is not supported.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count < Int32.max else { return nil }
        self.bytes = bytes
        var scanner = Scanner(parser: JSONParser(bytes: bytes))
        scanner.tokens.reserveCapacity(bytes.count / 8 + 4)
        guard (try? scanner.document()) != nil else { return nil }
        tokens = scanner.tokens
    }

    private struct Scanner {
        var parser: JSONParser
        var tokens: ContiguousArray<Token> = []

        private var unsupported: JSONSyntaxError { parser.error("The tape does not support this document") }

        mutating func document() throws(JSONSyntaxError) {
            guard parser.index == 0 else { throw unsupported } // after a byte order mark
            try value(depth: 0)
            if parser.peek() != nil { throw unsupported }
        }

        private mutating func value(depth: Int) throws(JSONSyntaxError) {
            guard let byte = parser.peek() else { throw unsupported }
            let start = parser.index
            switch byte {
            case UInt8(ascii: "\""): try string()
            case UInt8(ascii: "{"): try container(.object, until: UInt8(ascii: "}"), depth: depth)
            case UInt8(ascii: "["): try container(.array, until: UInt8(ascii: "]"), depth: depth)
            case UInt8(ascii: "t"): add(try parser.skip("true", .yes), start..<parser.index)
            case UInt8(ascii: "f"): add(try parser.skip("false", .no), start..<parser.index)
            case UInt8(ascii: "n"): add(try parser.skip("null", .null), start..<parser.index)
            default:
                _ = try parser.skipNumber()
                add(.number, start..<parser.index)
            }
        }

        private mutating func add(_ kind: Kind, _ range: Range<Int>) {
            let next = Int32(tokens.count + 1)
            tokens.append(Token(kind: kind, start: Int32(range.lowerBound), end: Int32(range.upperBound), next: next))
        }

        private mutating func string() throws(JSONSyntaxError) {
            let (range, isEscaped) = try parser.skipString()
            add(isEscaped ? .escapedString : .string, range)
        }

        private mutating func name() throws(JSONSyntaxError) {
            guard parser.peek() == UInt8(ascii: "\"") else { throw unsupported }
            try string()
            guard isPlain(tokens[tokens.count - 1]) else { throw unsupported }
            try parser.skipColon()
        }

        private mutating func container(_ kind: Kind, until end: UInt8, depth: Int) throws(JSONSyntaxError) {
            guard depth < JSONTape.maximumDepth else { throw unsupported }
            let own = tokens.count
            tokens.append(Token(kind: kind, start: Int32(parser.index), cursor: Int32(own + 1)))
            parser.index += 1
            var count: Int32 = 0
            var isOpen = parser.peek() != end
            if !isOpen { parser.index += 1 }
            while isOpen {
                if kind == .object { try name() }
                try value(depth: depth + 1)
                count += 1
                isOpen = try parser.continues(end)
            }
            tokens[own].end = count
            tokens[own].next = Int32(tokens.count)
            guard kind == .array || hasDistinctNames(own, count: count) else { throw unsupported }
        }

        /// Whether the name is ASCII without escapes. Other names may be equal to a name with other bytes.
        private func isPlain(_ name: Token) -> Bool {
            name.kind == .string && text(name).allSatisfy { $0 < 0x80 }
        }

        private func text(_ token: Token) -> Slice<UnsafeBufferPointer<UInt8>> {
            parser.bytes[Int(token.start)..<Int(token.end)]
        }

        /// Whether no name occurs twice: decoders differ in which of two equal names they use.
        private func hasDistinctNames(_ object: Int, count: Int32) -> Bool {
            guard count <= 16 else { return hasDistinctNamesByHash(object) }
            var name = object + 1
            while name < tokens[object].next {
                let after = Int(tokens[name + 1].next)
                var other = after
                while other < tokens[object].next {
                    if isEqual(tokens[name], tokens[other]) { return false }
                    other = Int(tokens[other + 1].next)
                }
                name = after
            }
            return true
        }

        private func hasDistinctNamesByHash(_ object: Int) -> Bool {
            var seen: Set<String> = []
            var name = object + 1
            while name < tokens[object].next {
                guard seen.insert(String(decoding: text(tokens[name]), as: UTF8.self)).inserted else { return false }
                name = Int(tokens[name + 1].next)
            }
            return true
        }

        private func isEqual(_ one: Token, _ other: Token) -> Bool {
            text(one).count == text(other).count && text(one).elementsEqual(text(other))
        }
    }
}
