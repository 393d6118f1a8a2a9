/// A value's encoded form before it is written.
///
/// A tree, since containers may be filled in any order and are sorted at the end.
final class FormNode {
    enum Content {
        case nothing
        case null
        case text(String)
        case members
        case elements
    }

    var content = Content.nothing
    private(set) var children: [(key: String, node: FormNode)] = []
    private var positions: [String: Int] = [:]

    /// The member with this name, if there is one.
    func member(_ key: String) -> FormNode? { positions[key].map { children[$0].node } }

    /// Sets a member; replaces an earlier member of the same name in its position.
    func setMember(_ key: String, _ node: FormNode) {
        if let position = positions[key] {
            children[position].node = node
        } else {
            positions[key] = children.count
            children.append((key, node))
        }
    }

    func append(_ node: FormNode) { children.append(("", node)) }
}

/// The keys that lead to a value, shared by all nodes below.
final class FormPath {
    let parent: FormPath?
    let key: any CodingKey
    let depth: Int

    init(_ key: any CodingKey, after parent: FormPath?) {
        self.parent = parent
        self.key = key
        depth = (parent?.depth ?? 0) + 1
    }

    var keys: [any CodingKey] {
        var keys: [any CodingKey] = []
        var path: FormPath? = self
        while let step = path {
            keys.append(step.key)
            path = step.parent
        }
        return keys.reversed()
    }
}

/// The key of an element or a superclass.
struct FormKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
    init(intValue: Int) { (stringValue, self.intValue) = ("\(intValue)", intValue) }
}

/// The state that all containers of one encoding share.
final class FormState {
    let encoder: URLEncodedFormEncoder
    let userInfo: [CodingUserInfoKey: Any]
    /// The number of nested calls of `encode(to:)`.
    var nesting = 0
    /// The error of a method that makes a container and cannot throw.
    var failure: (any Error)?

    /// Threads that run tasks have stacks of 512 KiB. A level takes 1.7 KiB of them in a debug build, more if
    /// `encode(to:)` has a large frame.
    static let maximumNesting = 128

    init(_ encoder: URLEncodedFormEncoder) {
        self.encoder = encoder
        userInfo = encoder.userInfo
    }
}
