import Foundation

/// A path in the tree that is being encoded. Its node is looked up for each value, since a container of another kind
/// may have replaced the node.
struct FormPlace {
    let state: FormState
    let path: FormPath?

    var codingPath: [any CodingKey] { path?.keys ?? [] }

    /// The node of this path; this node and the nodes above are made if they are missing.
    var node: FormNode { state.node(at: path) }

    func encode(_ value: some Encodable) throws {
        try check(value)
        if try encodeHere(value) { return }
        state.nesting += 1
        defer { state.nesting -= 1 }
        try value.encode(to: FormValueEncoder(place: self))
    }

    /// Encodes a value whose `encode(to:)` is not used, such as a `Date`; returns `false` for other values.
    /// Apart from `encode`, which recurses and so needs a small stack frame.
    private func encodeHere(_ value: some Encodable) throws -> Bool {
        if let text = try text(of: value) {
            try set(.text(text))
        } else if let json = value as? JSON {
            try encode(json: json)
        } else {
            return false
        }
        return true
    }

    /// The text of a `Date`, `Data`, `URL` or `Decimal`, which would encode itself otherwise; `nil` for other types.
    private func text(of value: some Encodable) throws -> String? {
        switch value {
        case let value as Date: try text(value)
        case let value as Data: try state.encoder.dataEncoding.text(value)
        case let value as URL: value.absoluteString
        case let value as Decimal: try text(value)
        default: nil
        }
    }

    private func text(_ value: Date) throws -> String? {
        guard value.timeIntervalSinceReferenceDate.isFinite else { throw invalid(value, "The date is not finite") }
        return try state.encoder.dateEncoding.text(value)
    }

    private func text(_ value: Decimal) throws -> String {
        guard value.isFinite else { throw invalid(value, Self.noNumber(value)) }
        return "\(value)"
    }

    /// Encodes JSON without its `encode(to:)`, which refuses numbers beyond `Decimal`.
    private func encode(json: JSON) throws {
        try check(json)
        switch json.storage {
        case .missing, .null: try set(.null)
        case .bool(let value): try set(.text(state.encoder.boolEncoding.text(value)))
        case .number(let value): try set(.text(value.text))
        case .string(let value): try set(.text(value))
        case .array(let elements):
            open(.elements)
            for (index, element) in elements.enumerated() { try newElement(index).encode(json: element) }
        case .object(let members):
            open(.members)
            for (key, member) in members { try newMember(AnyCodingKey(stringValue: key)).encode(json: member) }
        }
    }

    func encode(float value: some BinaryFloatingPoint & Encodable) throws {
        guard value.isFinite else { throw invalid(value, Self.noNumber(value)) }
        try set(.text("\(value)"))
    }

    func set(_ content: FormNode.Content) throws {
        if let failure = state.failure { throw failure }
        node.become(content)
    }

    /// The place of a key's value, which replaces what was encoded for that key.
    func newMember(_ key: some CodingKey) -> FormPlace {
        let place = member(key)
        if place.path !== path { node.member(key.stringValue).become(.nothing) }
        return place
    }

    /// The place of a key's container. What was encoded for that key before stays; the container adds to it.
    func member(_ key: some CodingKey) -> FormPlace { below(.member(key)) }

    var superclass: FormPlace { below(.superclass) }

    /// The place of a new element; `count` is the number of elements that its container has begun.
    func newElement(_ count: Int) -> FormPlace {
        below(.element(node.reserveElement() ?? count))
    }

    /// Beyond the maximum depth the path is not extended, which limits the recursion of the writer.
    private func below(_ step: FormPath.Step) -> FormPlace {
        let path = FormPath(step, after: path)
        guard path.depth <= FormState.maximumNesting else {
            if state.failure == nil { state.failure = invalid(Never?.none, Self.tooDeep) }
            return self
        }
        return FormPlace(state: state, path: path)
    }

    /// Makes an empty node an array or object. A node with content becomes one when the container is filled.
    func open(_ content: FormNode.Content) {
        if case .nothing = node.content { node.become(content) }
    }

    private static let tooDeep =
        "The value is nested deeper than \(FormState.maximumNesting) levels; perhaps it contains itself"
    private static func noNumber(_ value: some Encodable) -> String { "A form cannot contain the number \(value)" }

    /// Throws the stored error of a container, and refuses a value that contains itself.
    private func check(_ value: some Encodable) throws {
        if let failure = state.failure { throw failure }
        guard state.nesting <= FormState.maximumNesting else { throw invalid(value, Self.tooDeep) }
    }

    private func invalid(_ value: some Encodable, _ reason: String) -> EncodingError {
        .invalidValue(value, .init(codingPath: codingPath, debugDescription: reason))
    }

    func secondValue(_ value: some Encodable) -> EncodingError {
        invalid(value, "A container for a single value has one already")
    }
}
