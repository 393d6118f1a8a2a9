import Foundation

struct JSONWriter {
    private let options: JSONEncoder.OutputFormatting
    private var bytes: [UInt8] = []
    private var indentation: Int

    /// - Parameter indentation: How many levels all lines except the first are indented.
    static func data(_ value: JSON, _ options: JSONEncoder.OutputFormatting, indentation: Int = 0) -> Data {
        var writer = JSONWriter(options: options, indentation: indentation)
        writer.write(value)
        return Data(writer.bytes)
    }

    private mutating func write(_ value: JSON) {
        switch value.storage {
        case .missing, .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .number(let value): bytes += value.text.utf8
        case .string(let value): write(value)
        case .array(let elements): list(elements, from: "[", to: "]") { writer, element in writer.write(element) }
        case .object(let members): write(members)
        }
    }

    private mutating func write(_ members: [String: JSON]) {
        let list = options.contains(.sortedKeys) ? members.sorted { $0.key < $1.key } : Array(members)
        let separator = options.contains(.prettyPrinted) ? ": " : ":"
        self.list(list, from: "{", to: "}") { writer, member in
            writer.write(member.key)
            writer.bytes += separator.utf8
            writer.write(member.value)
        }
    }

    private mutating func list<Item>(
        _ items: [Item], from open: Character, to close: Character, each: (inout JSONWriter, Item) -> Void
    ) {
        bytes += open.utf8
        indentation += 1
        for (index, item) in items.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            newLine()
            each(&self, item)
        }
        indentation -= 1
        if !items.isEmpty { newLine() }
        bytes += close.utf8
    }

    private mutating func newLine() {
        guard options.contains(.prettyPrinted) else { return }
        bytes.append(0x0A)
        bytes += repeatElement(0x20, count: indentation * 2)
    }

    private mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0x0A: bytes += "\\n".utf8
            case 0x0D: bytes += "\\r".utf8
            case 0x09: bytes += "\\t".utf8
            case 0..<0x20: bytes += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
