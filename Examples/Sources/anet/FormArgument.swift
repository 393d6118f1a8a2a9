import AsyncNet
import Foundation

/// One `-F`: `NAME=VALUE`, `NAME=@FILE` or `NAME=<FILE`, each with `[;type=T][;filename=N]`, where a VALUE, FILE or N
/// with such an end of its own stands in double quotes.
struct FormArgument {
    enum Content: Equatable {
        /// With `isFile`, what the file of this name holds.
        case text(String, isFile: Bool, type: String?, name: String?)
        /// `-` is standard input.
        case file(String, type: String?, name: String?)
    }

    /// Before the argument of `--form-string`, whose value is taken as it stands.
    static let literalMark = "\u{0}"

    let name: String
    let content: Content

    /// `nil` if it is neither.
    init?(_ argument: String) {
        let isLiteral = argument.hasPrefix(Self.literalMark)
        let text = isLiteral ? argument.dropFirst() : argument[...]
        guard let equals = text.firstIndex(of: "=") else { return nil }
        name = String(text[..<equals])
        var rest = text[text.index(after: equals)...]
        if isLiteral {
            content = .text(String(rest), isFile: false, type: nil, name: nil)
        } else if rest.first == "@" || rest.first == "<" {
            let isPart = rest.popFirst() == "@"
            let file = Self.takeWord(&rest)
            guard !file.isEmpty, let (type, name) = Self.takeOptions(&rest) else { return nil }
            content =
                isPart ? .file(file, type: type, name: name) : .text(file, isFile: true, type: type, name: name)
        } else {
            content = Self.text(rest)
        }
    }

    /// What follows a value and is no option belongs to the value, as do quotes that do not enclose all of it.
    private static func text(_ value: Substring) -> Content {
        let whole = Content.text(String(value), isFile: false, type: nil, name: nil)
        var rest = value
        var word = ""
        if value.first == "\"" {
            word = takeWord(&rest)
        } else if let end = [";type=", ";filename="].compactMap({ value.range(of: $0)?.lowerBound }).min() {
            (word, rest) = (String(value[..<end]), value[end...])
        } else {
            return whole
        }
        guard let (type, name) = takeOptions(&rest) else { return whole }
        return .text(word, isFile: false, type: type, name: name)
    }

    /// `nil` if it is not all options.
    private static func takeOptions(_ rest: inout Substring) -> (type: String?, name: String?)? {
        var (type, fileName): (String?, String?) = (nil, nil)
        while rest.popFirst() == ";" {
            let key = rest.prefix { $0 != "=" && $0 != ";" }
            rest = rest.dropFirst(key.count)
            guard rest.popFirst() == "=" else { return nil }
            switch key.trimmingCharacters(in: .whitespaces) {
            // A type has parameters of its own: `type=text/plain; charset=utf-8`.
            case "type": type = takeType(&rest)
            case "filename": fileName = takeWord(&rest)
            default: return nil
            }
        }
        return rest.isEmpty ? (type, fileName) : nil
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
        case .text(let text, let isFile, let type, let fileName):
            let data = isFile ? try Input.read("@\(text)") : Data(text.utf8)
            form.append(data, name: name, fileName: fileName, mimeType: type)
        case .file(let file, let type, let fileName):
            let shown = fileName ?? URL(file: file).lastPathComponent
            form.append(try Input.upload(file), name: name, fileName: shown, mimeType: type)
        }
    }
}
