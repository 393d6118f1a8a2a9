import Foundation

/// A node of the tree that is being encoded, and the path to it.
struct FormPlace {
    let state: FormState
    let node: FormNode
    let path: FormPath?

    var codingPath: [any CodingKey] { path?.keys ?? [] }

    /// Encodes a value into this node.
    func encode(_ value: some Encodable) throws {
        try check(value)
        if try encodeHere(value) { return }
        state.nesting += 1
        defer { state.nesting -= 1 }
        try value.encode(to: FormValueEncoder(place: self))
    }

    /// Encodes values that are not encoded by their `encode(to:)`; separate from ``encode(_:)`` to keep the recursive
    /// stack frame small.
    private func encodeHere(_ value: some Encodable) throws -> Bool {
        if let text = try text(of: value) {
            try set(.text(text), for: value)
        } else if let json = value as? JSON {
            try encode(json: json)
        } else {
            return false
        }
        return true
    }

    /// The text of types that would otherwise encode themselves in another form.
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
        case .missing, .null: try set(.null, for: json)
        case .bool(let value): try set(.text(state.encoder.boolEncoding.text(value)), for: json)
        case .number(let value): try set(.text(value.text), for: json)
        case .string(let value): try set(.text(value), for: json)
        case .array(let elements):
            open(.elements)
            for element in elements { try newElement().encode(json: element) }
        case .object(let members):
            open(.members)
            for (key, member) in members { try newMember(FormKey(stringValue: key)).encode(json: member) }
        }
    }

    func encode(float value: some BinaryFloatingPoint & Encodable) throws {
        guard value.isFinite else { throw invalid(value, Self.noNumber(value)) }
        try set(.text("\(value)"), for: value)
    }

    /// Sets a value without children. A second value for the same node is an error of `encode(to:)`.
    func set(_ content: FormNode.Content, for value: some Encodable) throws {
        if let failure = state.failure { throw failure }
        guard case .nothing = node.content else { throw invalid(value, Self.twice) }
        node.content = content
    }
}

// MARK: - Children

extension FormPlace {
    /// A new node for a key, replacing any earlier node of that key.
    func newMember(_ key: some CodingKey) -> FormPlace {
        below(key) { node.setMember(key.stringValue, $0) }
    }

    /// The node for a container of this key; a second container of the same key continues the first.
    func member(_ key: some CodingKey) -> FormPlace {
        guard let known = node.member(key.stringValue) else { return newMember(key) }
        return FormPlace(state: state, node: known, path: FormPath(key, after: path))
    }

    func newElement() -> FormPlace {
        below(FormKey(intValue: node.children.count)) { node.append($0) }
    }

    /// Beyond the maximum depth the new node is not attached to the tree, which limits the recursion of the writer.
    private func below(_ key: some CodingKey, attach: (FormNode) -> Void) -> FormPlace {
        let child = FormNode()
        guard (path?.depth ?? 0) < FormState.maximumNesting else {
            fail(Self.tooDeep)
            return FormPlace(state: state, node: child, path: path)
        }
        attach(child)
        return FormPlace(state: state, node: child, path: FormPath(key, after: path))
    }

    /// Makes the node an array or object. Methods that make containers cannot throw, so an error here is stored, and
    /// thrown by a later call.
    func open(_ content: FormNode.Content) {
        switch (node.content, content) {
        case (.nothing, _): node.content = content
        case (.members, .members), (.elements, .elements): break
        default: fail(Self.twice)
        }
    }
}

// MARK: - Errors

extension FormPlace {
    private static let twice =
        "encode(to:) encodes two values, or containers of different kinds, for one key"
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

    private func fail(_ reason: String) {
        if state.failure == nil { state.failure = invalid(Never?.none, reason) }
    }
}
