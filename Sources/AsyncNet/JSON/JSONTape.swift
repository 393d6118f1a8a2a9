/// A JSON document as a list of its values in order, with their positions in the bytes.
///
/// The first of two steps to a decoded type. Supports common documents only: without escaped names, repeated names,
/// deep nesting and errors. For other documents, and for unsupported types, the caller uses `JSONDecoder`.
final class JSONTape {
    enum Kind: UInt8 { case null, yes, no, number, string, escapedString, array, object }

    struct Token {
        let kind: Kind
        /// The index of the first byte; for a string, of the byte after the opening quote.
        let start: Int32
        /// The index after the last byte, of a string that of the closing quote; of a container, the number of values.
        var end: Int32 = 0
        /// The index of the token that follows this token and its contents.
        var next: Int32 = 0
        /// For an object: the member that is probably read next.
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

    /// Thrown if a value is not supported.
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
        tokens.reserveCapacity(bytes.count / 8 + 4)
        var scanner = Scanner(bytes: bytes)
        guard scanner.value(into: &tokens, depth: 0), scanner.isAtEnd else { return nil }
    }

    private struct Scanner {
        let bytes: UnsafeBufferPointer<UInt8>
        var index = 0

        var isAtEnd: Bool {
            mutating get { peek() == nil }
        }

        @inline(__always)
        mutating func peek() -> UInt8? {
            while index < bytes.count {
                let byte = bytes[index]
                guard byte <= 0x20 else { return byte }
                guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
                index += 1
            }
            return nil
        }

        mutating func value(into tokens: inout ContiguousArray<Token>, depth: Int) -> Bool {
            guard let byte = peek() else { return false }
            switch byte {
            case UInt8(ascii: "\""): return string(into: &tokens)
            case UInt8(ascii: "{"): return object(into: &tokens, depth: depth)
            case UInt8(ascii: "["): return array(into: &tokens, depth: depth)
            case UInt8(ascii: "t"): return literal("true", .yes, into: &tokens)
            case UInt8(ascii: "f"): return literal("false", .no, into: &tokens)
            case UInt8(ascii: "n"): return literal("null", .null, into: &tokens)
            default: return number(into: &tokens)
            }
        }

        private mutating func add(_ kind: Kind, from start: Int, _ tokens: inout ContiguousArray<Token>) -> Bool {
            tokens.append(Token(kind: kind, start: Int32(start), end: Int32(index), next: Int32(tokens.count + 1)))
            return true
        }

        private mutating func string(into tokens: inout ContiguousArray<Token>) -> Bool {
            index += 1
            let start = index
            var kind = Kind.string
            while index < bytes.count {
                let byte = bytes[index]
                if byte == UInt8(ascii: "\"") {
                    _ = add(kind, from: start, &tokens)
                    index += 1
                    return true
                }
                guard byte >= 0x20 else { return false }
                if byte == UInt8(ascii: "\\") {
                    kind = .escapedString
                    guard escape() else { return false }
                }
                index += 1
            }
            return false
        }

        /// Moves the index to the escape's last byte.
        private mutating func escape() -> Bool {
            guard index + 1 < bytes.count else { return false }
            index += 1
            switch bytes[index] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
                UInt8(ascii: "n"),
                UInt8(ascii: "r"), UInt8(ascii: "t"):
                return true
            case UInt8(ascii: "u"):
                guard index + 4 < bytes.count else { return false }
                index += 4
                return bytes[index - 3...index].allSatisfy { $0.hexValue != nil }
            default: return false
            }
        }

        private mutating func literal(
            _ text: StaticString, _ kind: Kind, into tokens: inout ContiguousArray<Token>
        ) -> Bool {
            let start = index
            let count = text.utf8CodeUnitCount
            let word = UnsafeBufferPointer(start: text.utf8Start, count: count)
            guard index + count <= bytes.count, bytes[index..<index + count].elementsEqual(word) else { return false }
            index += count
            return add(kind, from: start, &tokens)
        }

        private mutating func number(into tokens: inout ContiguousArray<Token>) -> Bool {
            let start = index
            if bytes[index] == UInt8(ascii: "-") { index += 1 }
            let first = index
            guard digits() else { return false }
            if bytes[first] == UInt8(ascii: "0"), index > first + 1 { return false }
            if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
                index += 1
                guard digits() else { return false }
            }
            if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
                index += 1
                if index < bytes.count, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
                    index += 1
                }
                guard digits() else { return false }
            }
            return add(.number, from: start, &tokens)
        }

        private mutating func digits() -> Bool {
            let start = index
            while index < bytes.count, bytes[index] &- 0x30 < 10 { index += 1 }
            return index > start
        }

        private mutating func array(into tokens: inout ContiguousArray<Token>, depth: Int) -> Bool {
            guard depth < JSONTape.maximumDepth else { return false }
            let own = tokens.count
            tokens.append(Token(kind: .array, start: Int32(index)))
            index += 1
            var count: Int32 = 0
            if peek() == UInt8(ascii: "]") { return close(own, count: 0, in: &tokens) }
            while value(into: &tokens, depth: depth + 1) {
                count += 1
                let byte = peek()
                if byte == UInt8(ascii: "]") { return close(own, count: count, in: &tokens) }
                guard byte == UInt8(ascii: ",") else { return false }
                index += 1
            }
            return false
        }

        private mutating func object(into tokens: inout ContiguousArray<Token>, depth: Int) -> Bool {
            guard depth < JSONTape.maximumDepth else { return false }
            let own = tokens.count
            tokens.append(Token(kind: .object, start: Int32(index), cursor: Int32(own + 1)))
            index += 1
            var count: Int32 = 0
            if peek() == UInt8(ascii: "}") { return close(own, count: 0, in: &tokens) }
            while peek() == UInt8(ascii: "\"") {
                let name = tokens.count
                guard string(into: &tokens), isPlain(tokens[name]), peek() == UInt8(ascii: ":") else { return false }
                index += 1
                guard value(into: &tokens, depth: depth + 1) else { return false }
                count += 1
                let byte = peek()
                if byte == UInt8(ascii: "}") {
                    return close(own, count: count, in: &tokens) && hasDistinctNames(own, count: count, in: tokens)
                }
                guard byte == UInt8(ascii: ",") else { return false }
                index += 1
            }
            return false
        }

        private mutating func close(_ own: Int, count: Int32, in tokens: inout ContiguousArray<Token>) -> Bool {
            index += 1
            tokens[own].end = count
            tokens[own].next = Int32(tokens.count)
            return true
        }

        /// Whether the name is ASCII without escapes: other names may be equal although their bytes differ.
        private func isPlain(_ name: Token) -> Bool {
            name.kind == .string && bytes[Int(name.start)..<Int(name.end)].allSatisfy { $0 < 0x80 }
        }

        /// Whether no name occurs twice: decoders differ in which of two equal names they use.
        private func hasDistinctNames(_ object: Int, count: Int32, in tokens: ContiguousArray<Token>) -> Bool {
            guard count <= 16 else { return hasDistinctNamesByHash(object, tokens) }
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

        private func hasDistinctNamesByHash(_ object: Int, _ tokens: ContiguousArray<Token>) -> Bool {
            var seen: Set<String> = []
            var name = object + 1
            while name < tokens[object].next {
                let text = String(decoding: bytes[Int(tokens[name].start)..<Int(tokens[name].end)], as: UTF8.self)
                guard seen.insert(text).inserted else { return false }
                name = Int(tokens[name + 1].next)
            }
            return true
        }

        private func isEqual(_ one: Token, _ other: Token) -> Bool {
            guard one.end - one.start == other.end - other.start else { return false }
            return bytes[Int(one.start)..<Int(one.end)].elementsEqual(bytes[Int(other.start)..<Int(other.end)])
        }
    }
}
