import Foundation

/// The document that a `JSONDecoder` decodes. A ``JSON`` inside a decoded type is read from the document itself, since
/// `JSONDecoder` rounds numbers beyond `Decimal` and reads `1.0` as `1`.
///
/// The decoder has the document in its `userInfo`. Values are found by the decoder's coding path, so key strategies are
/// not supported.
final class JSONDocument: Sendable {
    static let key = CodingUserInfoKey(rawValue: "AsyncNet.JSONDocument")

    private enum Root {
        case unread(Data)
        /// The parsed document; `nil` if it is not supported, or repeats a name in an object: decoders differ in which
        /// of the values they use.
        case read(JSON?)
    }

    private let root: Locked<Root>

    init(_ data: Data) { root = Locked(.unread(data)) }

    /// Decodes as `JSONDecoder()` does, except that numbers of a ``JSON`` are exact.
    static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        if let value = JSONTape.decode(type, from: data) { return value }
        let decoder = JSONDecoder()
        if let key { decoder.userInfo[key] = JSONDocument(data) }
        return try decoder.decode(type, from: data)
    }

    /// The number that does not fit its type, and because of which a decoder called a valid document invalid.
    fileprivate static func misfit<Value: Decodable>(of type: Value.Type, in data: Data) -> JSONNumberMisfit? {
        data.withUnsafeBytes { bytes in
            guard let tape = JSONTape(bytes.bindMemory(to: UInt8.self)) else { return nil }
            defer { tape.close() }
            return (try? tape.decode(type, at: 0)) == nil ? tape.numberMisfit() : nil
        }
    }

    /// The value at the decoder's position; `nil` if this document does not have it.
    static func value(at decoder: any Decoder) throws -> JSON? {
        if let decoder = decoder as? JSONTapeDecoder { return try decoder.tape.json(decoder.index) }
        guard let key, let document = decoder.userInfo[key] as? JSONDocument else { return nil }
        guard let value = document.value(decoder.codingPath), isSame(value, in: decoder) else { return nil }
        return value
    }

    private func value(_ path: [any CodingKey]) -> JSON? {
        let start = root.withLock { root in
            if case .unread(let data) = root { root = .read(JSONParser.parseDistinct(data)) }
            if case .read(let value) = root { return value }
            return nil
        }
        return path.reduce(start) { value, key in
            switch value?.storage {
            case .array(let elements): key.intValue.flatMap { elements.indices.contains($0) ? elements[$0] : nil }
            case .object(let members): members[key.stringValue]
            default: nil
            }
        }
    }
}

extension AsyncNetError {
    /// Wraps an error of a decoder. For a number that does not fit its type, `JSONDecoder` on Linux says that the
    /// document is invalid; the message of the new error names the number.
    init<Value: Decodable>(
        decoding type: Value.Type, _ error: any Error, from data: Data, in subject: String = "The body"
    ) {
        var reason: String?
        if case .dataCorrupted(let context)? = error as? DecodingError, context.codingPath.isEmpty {
            if let misfit = JSONDocument.misfit(of: type, in: data) {
                reason = misfit.reason
            } else if (try? JSON(data: data)) != nil {
                reason = "It is well-formed, but not a value that the type accepts"
            }
        }
        self.init(decoding: type, error, in: subject, because: reason)
    }
}

extension JSONNumberMisfit {
    fileprivate var reason: String {
        let isSecret = path.contains { SecretNames.fields.contains($0.stringValue) }
        return "\(AsyncNetError.path(path)) is \(isSecret ? "a number" : "\(text)"), which is no \(type)"
    }
}

extension JSONDocument {
    /// Whether the decoder reads the same scalar, or a container with as many elements or members. If not, the decoder
    /// is a wrapper that changes paths or values.
    private static func isSame(_ value: JSON, in decoder: any Decoder) -> Bool {
        guard let single = try? decoder.singleValueContainer() else { return false }
        switch value.storage {
        case .missing, .null: return single.decodeNil()
        case .bool(let value): return (try? single.decode(Bool.self)) == value
        case .string(let value): return (try? single.decode(String.self)) == value
        case .number(let value): return isSame(value.double, try? single.decode(Double.self))
        case .array(let elements): return (try? decoder.unkeyedContainer())?.count == elements.count
        case .object(let members):
            return (try? decoder.container(keyedBy: AnyCodingKey.self))?.allKeys.count == members.count
        }
    }

    /// Whether a decoder's number is the document's. `decoded` is `nil` if the decoder refuses a number beyond the
    /// range of `Double`.
    private static func isSame(_ exact: Double?, _ decoded: Double?) -> Bool {
        guard let exact, exact.isNormal else { return decoded == nil || decoded == exact }
        return decoded == exact
    }
}

extension JSONTape {
    /// The decoded value; `nil` if the tape did not support a part of it, even if the type's `init(from:)` has ignored
    /// the tape's error.
    fileprivate static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) -> Value? {
        data.withUnsafeBytes { bytes in
            guard var tape = JSONTape(bytes.bindMemory(to: UInt8.self)) else { return nil }
            // The bytes are valid only in this closure.
            defer { tape.close() }
            guard let value = try? tape.decode(type, at: 0), !tape.hasGivenUp else { return nil }
            // If the value has kept its decoder, `JSONDecoder` decodes the value again, since the bytes of the kept
            // decoder become invalid.
            return isKnownUniquelyReferenced(&tape) ? value : nil
        }
    }

    /// The value of a token, with every digit of its numbers.
    func json(_ index: Int) throws -> JSON {
        let token = try token(index)
        let isString = token.kind == .string || token.kind == .escapedString
        let start = Int(token.start) - (isString ? 1 : 0)
        guard let value = try? JSONParser.value(in: bytes, at: start) else { throw giveUp() }
        return value
    }
}
