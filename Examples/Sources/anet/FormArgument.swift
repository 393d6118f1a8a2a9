import AsyncNet
import Foundation

/// One `-F`: `NAME=VALUE`, or `NAME=@FILE[;type=T][;filename=N]`, where a FILE or N with a semicolon stands in double
/// quotes.
struct FormArgument {
    enum Content: Equatable {
        case text(String)
        /// `-` is standard input.
        case file(String, type: String?, name: String?)
    }

    let name: String
    let content: Content

    /// `nil` if it is neither.
    init?(_ argument: String) {
        guard let equals = argument.firstIndex(of: "=") else { return nil }
        name = String(argument[..<equals])
        let value = argument[argument.index(after: equals)...]
        guard value.first == "@" else {
            content = .text(String(value))
            return
        }
        var rest = value.dropFirst()
        let file = Self.takeWord(&rest)
        var (type, fileName): (String?, String?) = (nil, nil)
        while rest.popFirst() == ";" {
            let key = rest.prefix { $0 != "=" && $0 != ";" }
            rest = rest.dropFirst(key.count)
            guard rest.popFirst() == "=" else { return nil }
            switch key.trimmingCharacters(in: .whitespaces) {
            // A type has parameters of its own: `type=text/plain; charset=utf-8`.
            case "type": type = Self.takeType(&rest)
            case "filename": fileName = Self.takeWord(&rest)
            default: return nil
            }
        }
        guard rest.isEmpty, !file.isEmpty else { return nil }
        content = .file(file, type: type, name: fileName)
    }

    private static func takeWord(_ rest: inout Substring) -> String {
        guard rest.first == "\"" else {
            let word = rest.prefix { $0 != ";" }
            rest = rest.dropFirst(word.count)
            return String(word)
        }
        rest = rest.dropFirst()
        var word = ""
        while let character = rest.popFirst(), character != "\"" {
            word.append(character == "\\" ? rest.popFirst() ?? character : character)
        }
        return word
    }

    private static func takeType(_ rest: inout Substring) -> String {
        let end = rest.range(of: ";filename=")?.lowerBound ?? rest.endIndex
        defer { rest = rest[end...] }
        return rest[..<end].trimmingCharacters(in: .whitespaces)
    }

    /// Adds the part to a form.
    ///
    /// - Throws: ``ExitError`` for a file that cannot be read, before a server is asked anything.
    func append(to form: inout MultipartForm) throws(ExitError) {
        switch content {
        case .text(let text): form.append(text, name: name)
        case .file(let file, let type, let fileName):
            let shown = fileName ?? URL(fileURLWithPath: file).lastPathComponent
            form.append(try Input.upload(file), name: name, fileName: shown, mimeType: type)
        }
    }
}
