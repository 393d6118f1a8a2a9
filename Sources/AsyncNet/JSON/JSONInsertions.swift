import Foundation

/// The ``JSON`` values inside a value that a `JSONEncoder` encodes. Each is encoded as a placeholder and replaced by
/// its own text afterwards, since `JSONEncoder` rounds numbers beyond `Decimal` and writes `1.0` as `1`.
///
/// The encoder has this object in its `userInfo`.
final class JSONInsertions: Sendable {
    static let key = CodingUserInfoKey(rawValue: "AsyncNet.JSONInsertions")

    private struct State {
        /// The random prefix of placeholders, made for the first placeholder.
        var prefix: String?
        var values: [JSON] = []
    }

    private let state = Locked(State())

    /// Encodes a value as `encoder` does, but each `JSON` in it as ``JSON/data(options:)`` does with the encoder's
    /// `.prettyPrinted` and `.sortedKeys`.
    ///
    /// A subclass of `JSONEncoder` encodes the whole value itself.
    static func data(_ value: some Encodable, _ encoder: JSONEncoder) throws -> Data {
        if let json = value as? JSON { return json.data(options: encoder.outputFormatting) }
        guard let key, type(of: encoder) == JSONEncoder.self else { return try encoder.encode(value) }
        let insertions = JSONInsertions()
        let copy = encoder.copy
        copy.userInfo[key] = insertions
        let data = try copy.encode(value)
        let state = insertions.state.withLock { $0 }
        guard let prefix = state.prefix else { return data }
        // Encodes without placeholders if one cannot be replaced, such as one that a type has put inside a string.
        return try insert(state.values, prefix, into: data, encoder.outputFormatting) ?? encoder.encode(value)
    }

    static func collecting(_ encoder: any Encoder) -> JSONInsertions? {
        key.flatMap { encoder.userInfo[$0] } as? JSONInsertions
    }

    func placeholder(_ value: JSON) -> String {
        state.withLock { state in
            let prefix =
                state.prefix ?? "AsyncNet.JSON.\(UInt64.random(in: 0 ... .max)).\(UInt64.random(in: 0 ... .max))."
            state.prefix = prefix
            state.values.append(value)
            return "\(prefix)\(state.values.count - 1)"
        }
    }

    /// - Returns: `nil` unless each placeholder was found exactly once.
    private static func insert(
        _ values: [JSON], _ prefix: String, into data: Data, _ options: JSONEncoder.OutputFormatting
    ) -> Data? {
        let opening = Data("\"\(prefix)".utf8)
        var result = Data()
        var rest = data[...]
        var left = Set(values.indices)
        while let found = rest.range(of: opening) {
            let digits = rest[found.upperBound...].prefix { $0 != 0x22 }
            let index = Int(String(decoding: digits, as: UTF8.self))
            guard let index, left.remove(index) != nil else { return nil }
            result += rest[..<found.lowerBound]
            let levels = options.contains(.prettyPrinted) ? indentation(result) : 0
            result += JSONWriter.data(values[index], options, indentation: levels)
            rest = rest[digits.endIndex...].dropFirst()
        }
        return left.isEmpty ? result + rest : nil
    }

    /// The indentation of the last line, in levels of two spaces.
    private static func indentation(_ text: Data) -> Int {
        let line = text.suffix(from: text.lastIndex(of: 0x0A).map { $0 + 1 } ?? text.startIndex)
        return line.prefix { $0 == 0x20 }.count / 2
    }
}

extension JSONEncoder {
    fileprivate var copy: JSONEncoder {
        let copy = JSONEncoder()
        copy.outputFormatting = outputFormatting
        copy.dateEncodingStrategy = dateEncodingStrategy
        copy.dataEncodingStrategy = dataEncodingStrategy
        copy.nonConformingFloatEncodingStrategy = nonConformingFloatEncodingStrategy
        copy.keyEncodingStrategy = keyEncodingStrategy
        copy.userInfo = userInfo
        return copy
    }
}
