public import Foundation

/// A property list of any shape, for lists without a `Decodable` type.
public enum PropertyList: Sendable, Hashable {
    /// A string.
    case string(String)
    /// An integer.
    case integer(Int)
    /// A floating-point number.
    case real(Double)
    /// A Boolean.
    case bool(Bool)
    /// A date.
    case date(Date)
    /// Bytes.
    case data(Data)
    /// An array of values.
    case array([PropertyList])
    /// A dictionary of values.
    case dictionary([String: PropertyList])

    /// Reads a property list in XML or binary form.
    ///
    /// - Throws: ``AsyncNetError`` with code `.decodingFailed`.
    public init(data: Data) throws(AsyncNetError) {
        do {
            self = try PropertyListDecoder().decode(PropertyList.self, from: data)
        } catch {
            throw AsyncNetError(decoding: PropertyList.self, error)
        }
    }

    /// The value of a dictionary's key; `nil` if this is no dictionary or has no such key.
    public subscript(key: String) -> PropertyList? {
        if case .dictionary(let members) = self { members[key] } else { nil }
    }

    /// The element of an array; `nil` if this is no array or the index is out of range.
    public subscript(index: Int) -> PropertyList? {
        if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { nil }
    }
}

extension PropertyList: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        func value<Value: Decodable>(_ make: (Value) -> PropertyList) -> PropertyList? {
            (try? container.decode(Value.self)).map(make)
        }
        let found: PropertyList? =
            value(Self.bool) ?? value(Self.integer) ?? value(Self.real) ?? value(Self.string) ?? value(Self.date)
            ?? value(Self.data) ?? value(Self.array)
        self = try found ?? .dictionary(container.decode([String: PropertyList].self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .string(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .real(let value): try container.encode(value)
        case .bool(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .dictionary(let value): try container.encode(value)
        }
    }
}

struct PropertyListSerializer: ResponseSerializer, PlacedSerializer {
    var place: SerializerPlace { .hereIfSmall }

    func serialize(_ response: RawResponse) async throws -> PropertyList {
        guard !response.data.isEmpty else { throw AsyncNetError(.emptyBody) }
        return try PropertyList(data: response.data)
    }
}
