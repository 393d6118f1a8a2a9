/// A value's encoded form before it is written: a tree, since containers are filled in any order and sorted later.
final class FormNode {
    enum Content {
        case nothing
        case null
        case text(String)
        case members
        case elements
    }

    private(set) var content = Content.nothing
    private(set) var children: [(key: String, node: FormNode)] = []
    private var positions: [String: Int] = [:]

    func become(_ content: Content) {
        self.content = content
        children = []
        positions = [:]
    }

    /// The member with this name, which is made if it is missing. Anything but members is replaced.
    func member(_ key: String) -> FormNode {
        if case .members = content {} else { become(.members) }
        if let position = positions[key] { return children[position].node }
        positions[key] = children.count
        return append(key)
    }

    /// The element with this index; a new last element if there is none. Anything but elements is replaced.
    func element(_ index: Int) -> FormNode {
        if case .elements = content {} else { become(.elements) }
        return children.indices.contains(index) ? children[index].node : append("")
    }

    /// The index of a new, empty element, so that omitted elements count; `nil` if this node has a text, a null or
    /// members, which an omitted element does not replace.
    func reserveElement() -> Int? {
        switch content {
        case .nothing: become(.elements)
        case .elements: break
        case .null, .text, .members: return nil
        }
        _ = append("")
        return children.count - 1
    }

    private func append(_ key: String) -> FormNode {
        let node = FormNode()
        children.append((key, node))
        return node
    }
}

/// The steps that lead to a value; the paths of all values below share them.
final class FormPath {
    enum Step {
        case member(any CodingKey)
        case element(Int)
        /// To the same place: a superclass is encoded there.
        case superclass
    }

    let parent: FormPath?
    let step: Step
    let depth: Int

    init(_ step: Step, after parent: FormPath?) {
        (self.parent, self.step) = (parent, step)
        depth = (parent?.depth ?? 0) + 1
    }

    private var key: (any CodingKey)? {
        switch step {
        case .member(let key): key
        case .element(let index): AnyCodingKey(intValue: index)
        case .superclass: nil
        }
    }

    var keys: [any CodingKey] {
        var keys: [any CodingKey] = []
        var path: FormPath? = self
        while let step = path {
            if let key = step.key { keys.append(key) }
            path = step.parent
        }
        return keys.reversed()
    }
}

final class FormState {
    let encoder: URLEncodedFormEncoder
    let root = FormNode()
    /// The number of nested calls of `encode(to:)`.
    var nesting = 0
    /// The error of a method that makes a container and cannot throw.
    var failure: (any Error)?

    /// Threads that run tasks have stacks of 512 KiB. A level takes 1.7 KiB of it in a debug build, more if
    /// `encode(to:)` has a large frame.
    static let maximumNesting = 128

    init(_ encoder: URLEncodedFormEncoder) { self.encoder = encoder }

    func node(at path: FormPath?) -> FormNode {
        guard let path else { return root }
        let outer = node(at: path.parent)
        return switch path.step {
        case .member(let key): outer.member(key.stringValue)
        case .element(let index): outer.element(index)
        case .superclass: outer
        }
    }
}
