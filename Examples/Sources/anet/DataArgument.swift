import ArgumentParser
import Foundation

/// A piece of a body as curl's options `-d`, `--data-raw`, `--data-binary` and `--data-urlencode` give it.
struct DataArgument: ExpressibleByArgument {
    private enum Kind: String {
        case text = "data"
        case raw = "data-raw"
        case binary = "data-binary"
        case encoded = "data-urlencode"
    }

    private let kind: Kind
    private let value: String

    /// Stands before the value of another option than `--data`; an argument of a command contains no such character.
    static func mark(_ option: String) -> String { "\u{0}\(option)\u{0}" }

    init(argument: String) {
        let parts = argument.split(separator: "\u{0}", maxSplits: 2, omittingEmptySubsequences: false)
        let marked = parts.count == 3 ? Kind(rawValue: String(parts[1])) : nil
        (kind, value) = (marked ?? .text, marked == nil ? argument : String(parts[2]))
    }

    /// - Throws: ``ExitError`` for a file that cannot be read.
    func data() throws(ExitError) -> Data {
        switch kind {
        case .raw: Data(value.utf8)
        case .binary: try Input.read(value)
        // A file's line ends are no part of a form.
        case .text:
            value.hasPrefix("@")
                ? Data([UInt8](try Input.read(value)).filter { $0 != 0x0A && $0 != 0x0D }) : Data(value.utf8)
        case .encoded: try encoded()
        }
    }

    static func joined(_ arguments: [DataArgument]) throws(ExitError) -> Data {
        var data = Data()
        for (index, argument) in arguments.enumerated() {
            if index > 0 { data.append(UInt8(ascii: "&")) }
            data += try argument.data()
        }
        return data
    }

    /// `CONTENT`, `=CONTENT`, `NAME=CONTENT`, `@FILE` or `NAME@FILE`; the name stands for itself.
    private func encoded() throws(ExitError) -> Data {
        let end = value.firstIndex { $0 == "=" || $0 == "@" }
        let name = end.map { value[..<$0] } ?? ""
        let content = end.map { value[value.index(after: $0)...] } ?? value[...]
        let isFile = end.map { value[$0] == "@" } ?? false
        let bytes = isFile ? try Input.read("@\(content)") : Data(content.utf8)
        return Data("\(name)\(name.isEmpty ? "" : "=")\(URLText.formEncoded(bytes))".utf8)
    }
}
