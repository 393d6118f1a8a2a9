import AsyncNet
import Foundation
import Timelines

/// What a person sees of a body: JSON indented and in colours, other text as it is, and no other bytes.
enum Terminal {
    static let isOutput = isatty(STDOUT_FILENO) == 1

    /// - Throws: ``ExitError`` for bytes that would disturb a terminal.
    static func shown(_ body: Data, type: MediaType?) throws(ExitError) -> Data {
        try check(body)
        guard isJSON(type, body), body.count <= 8 << 20, (try? JSON(data: body)) != nil else { return body }
        return JSONText(isColoured: ink.isColoured).text(of: body)
    }

    /// As curl decides: a byte 0 is not text.
    static func check(_ bytes: Data) throws(ExitError) {
        guard bytes.contains(0) else { return }
        throw ExitError(
            ExitStatus.cannotWrite,
            "The body is binary and is not written to a terminal. -o - writes it anyway, -o FILE to a file.")
    }

    private static func isJSON(_ type: MediaType?, _ body: Data) -> Bool {
        guard let type = type?.description.lowercased().prefix(while: { $0 != ";" }) else {
            return body.first { !" \r\n\t".utf8.contains($0) }.map { "{[".utf8.contains($0) } ?? false
        }
        return type.hasSuffix("/json") || type.hasSuffix("+json")
    }

    private static let ink = Ink(isTerminal: isOutput, environment: ProcessInfo.processInfo.environment)
}

/// Indents valid JSON, without a change of names, their order, or numbers.
struct JSONText {
    let isColoured: Bool
    private var text = Data()
    private var depth = 0

    init(isColoured: Bool) { self.isColoured = isColoured }

    func text(of json: Data) -> Data {
        var copy = self
        copy.write(Array(json)[...])
        return copy.text
    }

    private mutating func write(_ json: ArraySlice<UInt8>) {
        var rest = json.drop(while: Self.isSpace)
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["): open(&rest)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                newLine()
                text.append(byte)
                rest = rest.dropFirst()
            case UInt8(ascii: ","):
                text.append(byte)
                newLine()
                rest = rest.dropFirst()
            case UInt8(ascii: ":"):
                text += Data(": ".utf8)
                rest = rest.dropFirst()
            default: writeScalar(&rest)
            }
            rest = rest.drop(while: Self.isSpace)
        }
        text.append(0x0A)
    }

    private mutating func open(_ rest: inout ArraySlice<UInt8>) {
        guard let byte = rest.popFirst() else { return }
        text.append(byte)
        rest = rest.drop(while: Self.isSpace)
        if let next = rest.first, "]}".utf8.contains(next) {
            text.append(next)
            rest = rest.dropFirst()
        } else {
            depth += 1
            newLine()
        }
    }

    private mutating func writeScalar(_ rest: inout ArraySlice<UInt8>) {
        let scalar = rest.prefix(Self.length(of: rest))
        rest = rest.dropFirst(scalar.count)
        let isName = rest.drop(while: Self.isSpace).first == UInt8(ascii: ":")
        let colour = isName ? "34" : scalar.first == UInt8(ascii: "\"") ? "32" : "36"
        text += isColoured ? Data("\u{1B}[\(colour)m".utf8) + scalar + Data("\u{1B}[0m".utf8) : Data(scalar)
    }

    private static func length(of rest: ArraySlice<UInt8>) -> Int {
        guard rest.first == UInt8(ascii: "\"") else {
            return max(1, rest.prefix { !isSpace($0) && !",:]}".utf8.contains($0) }.count)
        }
        var isEscaped = false
        for (index, byte) in rest.enumerated().dropFirst() {
            if byte == UInt8(ascii: "\""), !isEscaped { return index + 1 }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        }
        return rest.count
    }

    private mutating func newLine() { text += Data("\n\(String(repeating: "    ", count: depth))".utf8) }

    private static func isSpace(_ byte: UInt8) -> Bool { " \r\n\t".utf8.contains(byte) }
}
