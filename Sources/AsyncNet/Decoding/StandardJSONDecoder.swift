public import Foundation

/// Decodes as `JSONDecoder()` does, in about half the time for simple documents.
///
/// Values and errors are those of a `JSONDecoder` with default settings. Documents and types that this decoder does not
/// support, such as `Data`, `URL` and `Decimal`, escaped names, or an invalid document, are decoded by a `JSONDecoder`;
/// a type's `init(from:)` then runs a second time. For other strategies, use a `JSONDecoder` instead.
///
/// The only difference: a ``JSON`` inside a type keeps every digit of its numbers, unless the document repeats the name
/// of a member.
public struct StandardJSONDecoder: DataDecoder {
    /// Creates a decoder.
    public init() {}

    public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try JSONDocument.decode(type, from: data)
    }
}
