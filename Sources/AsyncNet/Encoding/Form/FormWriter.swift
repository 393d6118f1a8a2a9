struct FormWriter {
    let encoder: URLEncodedFormEncoder
    private(set) var bytes: [UInt8] = []

    /// Writes a node; `path` is its unescaped name, `nil` for the root.
    mutating func write(_ node: FormNode, at path: String?) {
        switch node.content {
        case .nothing: break
        case .null: if let text = encoder.nilEncoding.text { pair(path ?? "", text) }
        case .text(let text): pair(path ?? "", text)
        case .members: members(of: node, at: path)
        case .elements:
            write(node.children.enumerated().map { ($1.node, encoder.arrayEncoding.name(path ?? "", $0)) })
        }
    }

    private mutating func members(of node: FormNode, at path: String?) {
        var named = node.children.map { (name: encoder.keyEncoding.name($0.key), key: $0.key, node: $0.node) }
        if encoder.sortsKeys { named.sort { Self.isBefore(($0.name, $0.key), ($1.name, $1.key)) } }
        write(named.map { name, _, child in (child, path.map { encoder.keyPathEncoding.path($0, name) } ?? name) })
    }

    private static func isBefore(_ one: (name: String, key: String), _ other: (name: String, key: String)) -> Bool {
        if one.name.utf8.elementsEqual(other.name.utf8) {
            return one.key.utf8.lexicographicallyPrecedes(other.key.utf8)
        }
        return one.name.utf8.lexicographicallyPrecedes(other.name.utf8)
    }

    private mutating func write(_ children: [(node: FormNode, path: String)]) {
        guard encoder.sortsKeys, encoder.comparesPairs else {
            for (node, path) in children { write(node, at: path) }
            return
        }
        let texts = children.map { text(of: $0.node, at: $0.path) }.sorted { $0.lexicographicallyPrecedes($1) }
        for text in texts where !text.isEmpty {
            separate()
            bytes += text
        }
    }

    /// The text of one child alone.
    private func text(of node: FormNode, at path: String) -> [UInt8] {
        var writer = FormWriter(encoder: encoder)
        writer.write(node, at: path)
        return writer.bytes
    }

    private mutating func separate() {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
    }

    private mutating func pair(_ key: String, _ value: String) {
        separate()
        escape(key)
        bytes.append(UInt8(ascii: "="))
        escape(value)
    }

    private mutating func escape(_ text: String) {
        for byte in text.utf8 {
            if encoder.escaping.keeps(byte) {
                bytes.append(byte)
            } else if byte == UInt8(ascii: " "), case .plusReplaced = encoder.spaceEncoding {
                bytes.append(UInt8(ascii: "+"))
            } else {
                PercentEncoding.append(byte, to: &bytes)
            }
        }
    }
}
