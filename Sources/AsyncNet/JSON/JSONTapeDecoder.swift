import Foundation

/// The decoder of a value on a tape, and its single value container.
struct JSONTapeDecoder: Decoder, SingleValueDecodingContainer {
    let tape: JSONTape
    let index: Int

    var codingPath: [any CodingKey] { tape.path }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard try tape.token(index).kind == .object else { throw tape.giveUp() }
        return KeyedDecodingContainer(Members<Key>(tape: tape, object: index))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try Elements(tape: tape, array: index)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { (try? tape.isNull(index)) ?? false }
    func decode(_ type: Bool.Type) throws -> Bool { try tape.bool(index) }
    func decode(_ type: String.Type) throws -> String { try tape.string(index) }
    func decode(_ type: Double.Type) throws -> Double { try tape.double(index) }
    func decode(_ type: Float.Type) throws -> Float { try tape.float(index) }
    func decode<Integer: FixedWidthInteger & Decodable>(_ type: Integer.Type) throws -> Integer {
        try tape.integer(index)
    }
    func decode(_ type: Int128.Type) throws -> Int128 { try tape.integer(index) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try tape.integer(index) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try tape.decode(type, at: index) }
}

extension JSONTape {
    /// Decodes frequent types without `init(from:)`. Types that `JSONDecoder` treats specially are not supported.
    func decode<Value: Decodable>(_ type: Value.Type, at index: Int) throws -> Value {
        if type == String.self { return unsafeBitCast(try string(index), to: type) }
        if type == Int.self { return unsafeBitCast(try integer(index) as Int, to: type) }
        if type == Double.self { return unsafeBitCast(try double(index), to: type) }
        if type == JSON.self { return unsafeBitCast(try json(index), to: type) }
        if type == Data.self || type == URL.self || type == Decimal.self { throw giveUp() }
        return try type.init(from: JSONTapeDecoder(tape: self, index: index))
    }
}

private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let tape: JSONTape
    let object: Int

    var codingPath: [any CodingKey] { tape.path }
    var allKeys: [Key] { ((try? tape.names(of: object)) ?? []).compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { ((try? tape.member(key.stringValue, of: object)) ?? nil) != nil }

    private func value(_ key: Key) throws -> Int {
        guard let index = try tape.member(key.stringValue, of: object) else { throw tape.giveUp() }
        return index
    }

    func decodeNil(forKey key: Key) throws -> Bool { try tape.isNull(value(key)) }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try tape.bool(value(key)) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try tape.string(value(key)) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try tape.double(value(key)) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try tape.float(value(key)) }
    func decode<Integer: FixedWidthInteger & Decodable>(_ type: Integer.Type, forKey key: Key) throws -> Integer {
        try tape.integer(value(key))
    }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try tape.integer(value(key)) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try tape.integer(value(key)) }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try tape.decode(type, at: value(key))
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
        -> KeyedDecodingContainer<Nested>
    {
        try JSONTapeDecoder(tape: tape, index: value(key)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try Elements(tape: tape, array: value(key))
    }

    func superDecoder() throws -> any Decoder { throw tape.giveUp() }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw tape.giveUp() }
}

private struct Elements: UnkeyedDecodingContainer {
    private let tape: JSONTape
    private let elements: Int
    private var next: Int
    private(set) var currentIndex = 0

    init(tape: JSONTape, array: Int) throws {
        let token = try tape.token(array)
        guard token.kind == .array else { throw tape.giveUp() }
        self.tape = tape
        elements = Int(token.end)
        next = array + 1
    }

    var codingPath: [any CodingKey] { tape.path }
    var count: Int? { elements }
    var isAtEnd: Bool { currentIndex >= elements }

    /// Reads the next element, and advances if the read succeeds.
    private mutating func take<Value>(_ read: (Int) throws -> Value) throws -> Value {
        guard !isAtEnd else { throw tape.giveUp() }
        let value = try read(next)
        next = Int(try tape.token(next).next)
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd else { throw tape.giveUp() }
        guard try tape.isNull(next) else { return false }
        return try take { _ in true }
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try take(tape.bool) }
    mutating func decode(_ type: String.Type) throws -> String { try take(tape.string) }
    mutating func decode(_ type: Double.Type) throws -> Double { try take(tape.double) }
    mutating func decode(_ type: Float.Type) throws -> Float { try take(tape.float) }
    mutating func decode<Integer: FixedWidthInteger & Decodable>(_ type: Integer.Type) throws -> Integer {
        try take(tape.integer)
    }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try take(tape.integer) }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try take(tape.integer) }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try take { [tape] in try tape.decode(type, at: $0) }
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested>
    {
        try take { [tape] in try JSONTapeDecoder(tape: tape, index: $0).container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try take { [tape] in try Elements(tape: tape, array: $0) }
    }

    mutating func superDecoder() throws -> any Decoder { throw tape.giveUp() }
}
