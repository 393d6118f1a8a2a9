public import Foundation

extension JSON {
    /// Parses a document in UTF-8 (RFC 8259).
    ///
    /// - Throws: ``AsyncNetError`` with code `.decodingFailed`, whose message gives the reason, line and column.
    public init(data: Data) throws(AsyncNetError) {
        do {
            self = try JSONParser.parse(data)
        } catch {
            throw AsyncNetError(
                .decodingFailed, "The body is not JSON. \(error.reason), at \(error.position(in: data))")
        }
    }

    /// Parses a document from text.
    ///
    /// - Throws: ``AsyncNetError`` with code `.decodingFailed`.
    public init(parsing text: String) throws(AsyncNetError) {
        try self.init(data: Data(text.utf8))
    }

    /// The value as JSON text in UTF-8. Never fails, since NaN and infinities become `null` when a value is created.
    ///
    /// - Parameter options: `.prettyPrinted`, with an indentation of two spaces per level, and `.sortedKeys`.
    public func data(options: JSONEncoder.OutputFormatting = []) -> Data { JSONWriter.data(self, options) }

    /// Decodes a type from this value, as `decoder` would from the value's text. Without a decoder, as a default
    /// `JSONDecoder` would, but a ``JSON`` inside the type keeps every digit of its numbers.
    public func decode<Value: Decodable>(
        _ type: Value.Type, using decoder: JSONDecoder? = nil
    ) throws(AsyncNetError) -> Value {
        do {
            return try decoder?.decode(type, from: data()) ?? JSONDocument.decode(type, from: data())
        } catch {
            throw AsyncNetError(decoding: type, error)
        }
    }

    /// Encodes a value; `null` if its `encode(to:)` throws. Use ``init(encoding:using:)`` to get that error.
    public init(encoding value: some Encodable) {
        self = (try? JSON(encoding: value, using: JSONEncoder())) ?? .null
    }

    /// Encodes a value as `encoder` does; a ``JSON`` inside it keeps every digit of its numbers.
    ///
    /// - Throws: ``AsyncNetError`` with code `.encodingFailed`.
    public init(encoding value: some Encodable, using encoder: JSONEncoder) throws(AsyncNetError) {
        do {
            self = try (value as? JSON) ?? JSON(data: JSONInsertions.data(value, encoder))
        } catch {
            throw AsyncNetError(.encodingFailed, underlyingError: error)
        }
    }
}

extension JSON: CustomStringConvertible {
    /// The value as compact JSON text, with sorted members.
    public var description: String { String(decoding: data(options: .sortedKeys), as: UTF8.self) }
}

extension JSON: Codable {
    /// Decodes the value with any decoder.
    ///
    /// With ``StandardJSONDecoder``, the default of this library, numbers keep every digit, at any depth of another
    /// type. A `JSONDecoder` changes numbers: `1.0` becomes `1`, digits beyond the 38 of `Decimal` are rounded, and a
    /// number beyond the range of `Decimal` and `Double`, such as `1e400`, is an error.
    public init(from decoder: any Decoder) throws {
        if let exact = try JSONDocument.value(at: decoder) { self = exact } else { self = try Self.plain(decoder) }
    }

    private static func plain(_ decoder: any Decoder) throws -> JSON {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() { return .null }
        if let value = try? container.decode(Bool.self) { return JSON(value) }
        if let value = try? container.decode(String.self) { return JSON(value) }
        if let value = try? container.decode(Int64.self) { return JSON(value) }
        if let value = try? container.decode(UInt64.self) { return JSON(value) }
        if let value = try? container.decode(Decimal.self) { return JSON(value) }
        if let value = try? container.decode(Double.self) { return JSON(value) }
        if let value = try? container.decode([JSON].self) { return JSON(value) }
        return JSON(try container.decode([String: JSON].self))
    }

    /// Encodes the value with any encoder.
    ///
    /// With ``JSONParameterEncoder`` and ``init(encoding:using:)`` numbers keep every digit, at any depth of another
    /// type. A `JSONEncoder` changes numbers: `1.0` becomes `1`, and a number that `Decimal` would round is an error.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let insertions = JSONInsertions.collecting(encoder) {
            return try container.encode(insertions.placeholder(self))
        }
        switch storage {
        case .missing, .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(.int(let value)): try container.encode(value)
        case .number(.uint(let value)): try container.encode(value)
        case .number(.double(let value)): try container.encode(value)
        case .number(let value): try container.encode(try value.exactDecimal(encoder))
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSONNumber {
    /// The number as a `Decimal`, the most precise number that encoders accept. Throws if `Decimal` would round the
    /// number; ``JSON/data(options:)`` writes every number.
    fileprivate func exactDecimal(_ encoder: any Encoder) throws -> Decimal {
        guard let decimal, JSONNumber(decimal) == self else {
            let reason = "The number has more digits or a larger exponent than Decimal holds"
            let context = EncodingError.Context(codingPath: encoder.codingPath, debugDescription: reason)
            throw EncodingError.invalidValue(JSON(.number(self)), context)
        }
        return decimal
    }
}
