public import Foundation

/// Decodes as `JSONDecoder()` does, in about half the time for simple documents.
///
/// Values and errors are those of a `JSONDecoder` with default settings, which decodes what this type does not
/// implement, such as `Data`, `URL` and `Decimal`, escaped names, or an invalid document; a type's `init(from:)` then
/// runs a second time. For other strategies, pass a `JSONDecoder`.
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
