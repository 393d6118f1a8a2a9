public import Foundation

/// A JSON value of any shape (RFC 8259), for reading documents without a type and for building bodies.
///
///     let json = try await session.request(url).serializing(JSON.self).value
///     json.name.string              // String?
///     json["tags"][0].string        // nil if there is no such member, element or string
///     let body: JSON = ["id": 1, "tags": ["a", "b"], "none": nil]
///
/// Reading a missing member or element gives a value whose accessors are `nil` and whose ``exists`` is `false`; an
/// explicit `null` exists and is ``isNull``. Numbers are exact: integers of up to 64 bits are stored as integers,
/// longer integers and decimals beyond `Double` as their text. Numbers are equal if their values are: `1 == 1.0`. The
/// order of members is not kept. Parsing refuses documents nested deeper than 512 levels.
@dynamicMemberLookup
public struct JSON: Sendable, Hashable {
    enum Storage: Sendable, Hashable {
        case missing
        case null
        case bool(Bool)
        case number(JSONNumber)
        case string(String)
        case array([JSON])
        case object([String: JSON])
    }

    var storage: Storage

    init(_ storage: Storage) { self.storage = storage }

    /// The value `null`.
    public static let null = JSON(.null)
    static let missing = JSON(.missing)

    /// Whether there is a value, including `null`.
    public var exists: Bool { if case .missing = storage { false } else { true } }

    /// Whether the value is an explicit `null`.
    public var isNull: Bool { if case .null = storage { true } else { false } }

    /// The value if it is a Boolean.
    public var bool: Bool? { if case .bool(let value) = storage { value } else { nil } }
    /// The value if it is a string.
    public var string: String? { if case .string(let value) = storage { value } else { nil } }
    /// The elements if it is an array.
    public var array: [JSON]? { if case .array(let value) = storage { value } else { nil } }
    /// The members if it is an object.
    public var object: [String: JSON]? { if case .object(let value) = storage { value } else { nil } }

    /// The number if it is an integer that fits in `Int`; `1.0` is an integer.
    public var int: Int? { number?.integer(as: Int.self) }
    /// The number if it is an integer that fits in `Int64`.
    public var int64: Int64? { number?.integer(as: Int64.self) }
    /// The number if it is an integer that fits in `UInt64`.
    public var uint64: UInt64? { number?.integer(as: UInt64.self) }

    /// The number as the nearest `Double`; `nil` beyond its range.
    public var double: Double? { number?.double }

    /// The number as a `Decimal`, exact up to 38 digits.
    public var decimal: Decimal? { number?.decimal }

    var number: JSONNumber? { if case .number(let value) = storage { value } else { nil } }

    /// The member of this name. Setting it replaces a value that is no object by an object; a missing value removes it.
    public subscript(key: String) -> JSON {
        get { if case .object(let members) = storage { members[key] ?? .missing } else { .missing } }
        set {
            var members = object ?? [:]
            storage = .null
            if newValue.exists { members[key] = newValue } else { members.removeValue(forKey: key) }
            storage = .object(members)
        }
    }

    /// The element at this index. Setting replaces it, or appends if the index is the count, or else does nothing.
    public subscript(index: Int) -> JSON {
        get {
            guard case .array(let elements) = storage, elements.indices.contains(index) else { return .missing }
            return elements[index]
        }
        set {
            guard var elements = array, index >= 0, index <= elements.count else { return }
            storage = .null
            if index == elements.count { elements.append(newValue) } else { elements[index] = newValue }
            storage = .array(elements)
        }
    }

    /// The member of this name: `json.address` is `json["address"]`, unless `JSON` itself has a property `address`.
    public subscript(dynamicMember name: String) -> JSON {
        get { self[name] }
        set { self[name] = newValue }
    }

    /// The value at a path such as `"address.lines.0"`: member names and array indices separated by dots.
    public subscript(keyPath path: String) -> JSON {
        path.split(separator: ".", omittingEmptySubsequences: false).reduce(self) { value, step in
            if case .array = value.storage { return Int(step).map { value[$0] } ?? .missing }
            return value[String(step)]
        }
    }
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self.init(.null) }
    public init(booleanLiteral value: Bool) { self.init(value) }
    public init(integerLiteral value: Int128) { self.init(value) }
    public init(floatLiteral value: Double) { self.init(value) }
    public init(stringLiteral value: String) { self.init(value) }
    public init(arrayLiteral elements: JSON...) { self.init(.array(elements)) }

    /// Creates an object; of repeated names the last value is used.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self.init(.object(Dictionary(elements, uniquingKeysWith: { $1 })))
    }
}

extension JSON {
    /// Creates a Boolean.
    public init(_ value: Bool) { self.init(.bool(value)) }
    /// Creates a string.
    public init(_ value: String) { self.init(.string(value)) }
    /// Creates an array.
    public init(_ value: [JSON]) { self.init(.array(value)) }
    /// Creates an object.
    public init(_ value: [String: JSON]) { self.init(.object(value)) }
    /// Creates a number; 0 for NaN.
    public init(_ value: Decimal) { self.init(.number(JSONNumber(value))) }

    /// Creates an integer of any size.
    public init(_ value: some BinaryInteger) { self.init(.number(JSONNumber(value))) }

    /// Creates a number; `null` for NaN and infinities, which JSON cannot represent.
    public init(_ value: Double) {
        self.init(value.isFinite ? .number(.double(value)) : .null)
    }

    /// Applies a merge patch (RFC 7396): the members of `patch` replace members, `null` removes a member, and objects
    /// are merged; a patch that is no object replaces the whole value.
    public mutating func merge(_ patch: JSON) {
        guard case .object(let changes) = patch.storage else { return self = patch }
        var members = object ?? [:]
        storage = .null
        for (name, change) in changes {
            if change.isNull {
                members.removeValue(forKey: name)
            } else {
                members[name, default: .missing].merge(change)
            }
        }
        storage = .object(members)
    }
}
