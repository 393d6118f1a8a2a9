public import Foundation

/// Decodes what `JSONDecoder()` would, exactly, in about half the time where the document is plain.
///
/// Values and errors are those of a `JSONDecoder` with its defaults: whatever this does not know how to do the same, such as
/// `Data`, `URL` and `Decimal`, escaped names or a document with a mistake, is left to one, and a type's `init(from:)`
/// then runs a second time. For other strategies, pass a `JSONDecoder` of your own.
public struct StandardJSONDecoder: DataDecoder {
    public init() {}

    public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        if let value = Self.plainly(type, data) { return value }
        return try JSONDecoder().decode(type, from: data)
    }

    /// `nil` if anything was given up on, also where the type's own `init(from:)` has gone on regardless.
    private static func plainly<Value: Decodable>(_ type: Value.Type, _ data: Data) -> Value? {
        data.withUnsafeBytes { bytes in
            guard var tape = JSONTape(bytes.bindMemory(to: UInt8.self)) else { return nil }
            // The bytes are gone after this.
            defer { tape.close() }
            guard let value = try? tape.decode(type, at: 0), !tape.hasGivenUp else { return nil }
            // Who keeps a decoder for later is to have one that still works then.
            return isKnownUniquelyReferenced(&tape) ? value : nil
        }
    }
}
