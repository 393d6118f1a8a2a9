public import Foundation

/// Decodes what `JSONDecoder()` would, exactly, in about half the time where the document is plain.
///
/// Values and errors are those of a `JSONDecoder` with its defaults: whatever this does not know how to do the same,
/// such as `Data`, `URL` and `Decimal`, escaped names or a document with a mistake, is left to one, and a type's
/// `init(from:)` then runs a second time. For other strategies, pass a `JSONDecoder` of your own.
///
/// In one thing it does better: a ``JSON`` inside a type keeps every digit of its numbers, as it does alone. (In a
/// document that repeats a member's name it is read as `JSONDecoder` does.)
public struct StandardJSONDecoder: DataDecoder {
    public init() {}

    public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try JSONDocument.decode(type, from: data)
    }
}
