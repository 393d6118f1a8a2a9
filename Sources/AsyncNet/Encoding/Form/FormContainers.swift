struct FormValueEncoder: Encoder {
    let place: FormPlace

    var codingPath: [any CodingKey] { place.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { place.state.encoder.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(FormMembers(place))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { FormElements(place) }
    func singleValueContainer() -> any SingleValueEncodingContainer { FormSingleValue(place: place) }
}

/// Encodes members by name. Types such as `Int128`, for which the standard library has a default `encode`, have a
/// method here, since that default would be called instead of the generic method.
private struct FormMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let place: FormPlace

    init(_ place: FormPlace) {
        self.place = place
        place.open(.members)
    }

    var codingPath: [any CodingKey] { place.codingPath }

    func encodeNil(forKey key: Key) throws { try place.newMember(key).set(.null) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try place.newMember(key).encode(value) }
    func encode(_ value: Int128, forKey key: Key) throws { try place.newMember(key).encode(value) }
    func encode(_ value: UInt128, forKey key: Key) throws { try place.newMember(key).encode(value) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<
        Nested
    > {
        KeyedEncodingContainer(FormMembers<Nested>(place.member(key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { FormElements(place.member(key)) }
    /// A superclass encodes its members beside those of the subclass, as in Alamofire.
    func superEncoder() -> any Encoder { FormValueEncoder(place: place.superclass) }
    func superEncoder(forKey key: Key) -> any Encoder { FormValueEncoder(place: place.member(key)) }
}

/// Encodes `nil` too, which the standard library's defaults omit.
extension FormMembers {
    private func encodeOrNil<Value: Encodable>(_ value: Value?, _ key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
    }

    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws { try encodeOrNil(value, key) }
}

private struct FormElements: UnkeyedEncodingContainer {
    let place: FormPlace

    init(_ place: FormPlace) {
        self.place = place
        place.open(.elements)
    }

    var codingPath: [any CodingKey] { place.codingPath }
    private(set) var count = 0

    private mutating func newElement() -> FormPlace {
        defer { count += 1 }
        return place.newElement(count)
    }

    mutating func encodeNil() throws { try newElement().set(.null) }
    mutating func encode<Value: Encodable>(_ value: Value) throws { try newElement().encode(value) }
    mutating func encode(_ value: Int128) throws { try newElement().encode(value) }
    mutating func encode(_ value: UInt128) throws { try newElement().encode(value) }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(FormMembers<Nested>(newElement()))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { FormElements(newElement()) }

    /// A superclass encodes into the array's place, not into an element, as in Alamofire.
    mutating func superEncoder() -> any Encoder {
        count += 1
        return FormValueEncoder(place: place.superclass)
    }
}

private struct FormSingleValue: SingleValueEncodingContainer {
    let place: FormPlace
    private var isUsed = false

    init(place: FormPlace) { self.place = place }

    var codingPath: [any CodingKey] { place.codingPath }

    private mutating func set(_ content: FormNode.Content, for value: some Encodable) throws {
        try use(for: value)
        try place.set(content)
    }

    private mutating func use(for value: some Encodable) throws {
        guard !isUsed else { throw place.secondValue(value) }
        isUsed = true
    }

    mutating func encodeNil() throws { try set(.null, for: Never?.none) }
    mutating func encode(_ value: Bool) throws {
        try set(.text(place.state.encoder.boolEncoding.text(value)), for: value)
    }
    mutating func encode(_ value: String) throws { try set(.text(value), for: value) }
    mutating func encode(_ value: Double) throws { try encode(float: value) }
    mutating func encode(_ value: Float) throws { try encode(float: value) }
    mutating func encode<Integer: FixedWidthInteger & Encodable>(_ value: Integer) throws {
        try set(.text("\(value)"), for: value)
    }
    mutating func encode(_ value: Int128) throws { try set(.text("\(value)"), for: value) }
    mutating func encode(_ value: UInt128) throws { try set(.text("\(value)"), for: value) }
    mutating func encode<Value: Encodable>(_ value: Value) throws {
        try use(for: value)
        try place.encode(value)
    }

    private mutating func encode(float value: some BinaryFloatingPoint & Encodable) throws {
        try use(for: value)
        try place.encode(float: value)
    }
}
