import Foundation

/// A form for `curl`.
enum CurlForm {
    /// The part as `-F` or `--form-string`; `nil` if these would send something else.
    ///
    /// `-F` takes what is before the first `=` for the name, and versions of curl differ in how they escape quotes,
    /// backslashes and line breaks. A part with a header of its own, or bytes that are no text, has no form there
    /// either.
    static func option(_ part: MultipartForm.Part) -> String? {
        guard !part.name.isEmpty, !part.name.utf8.contains(0x3D) else { return nil }
        guard isPlain(part.name), isPlain(part.fileName ?? "") else { return nil }
        let headers = Set(part.headers.map { $0.name.asciiLowercased })
        guard part.headers.count == headers.count else { return nil }
        guard headers.isSubset(of: ["content-disposition", "content-type"]) else { return nil }
        let type = part.headers["Content-Type"]
        switch part.body.content {
        case .data(let data):
            guard part.fileName == nil, type == nil, let text = data.asShellText else { return nil }
            return "--form-string \("\(part.name)=\(text)".shellQuoted)"
        case .file(let url): return url.path.utf8.first == 0x2F ? file(quoted(url.path), part, type) : nil
        case .stream: return file("-", part, type)
        default: return nil
        }
    }

    /// curl gives each file a file name and a type.
    private static func file(_ source: String, _ part: MultipartForm.Part, _ type: String?) -> String? {
        guard let name = part.fileName, !name.isEmpty, let type, isSimpleType(type) else { return nil }
        return "-F \("\(part.name)=@\(source);filename=\(quoted(name));type=\(type)".shellQuoted)"
    }

    private static func isPlain(_ name: String) -> Bool {
        !name.utf8.contains { $0 < 0x20 || $0 == 0x7F || $0 == 0x22 || $0 == 0x5C }
    }

    /// A type and a subtype, without parameters.
    private static func isSimpleType(_ type: String) -> Bool {
        let halves = type.split(separator: "/", omittingEmptySubsequences: false)
        return halves.count == 2 && halves.allSatisfy { HTTPSyntax.isToken(String($0)) && $0.utf8.count < 128 }
    }

    /// As curl reads a path or file name between quotes.
    private static func quoted(_ path: String) -> String {
        "\"\(path.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }

    // MARK: Put together by the shell

    /// Commands that write the form byte for byte, with the pipe; or a comment that says what is missing.
    static func producer(_ form: MultipartForm) -> String {
        guard let commands = commands(form) else { return "# The form holds what cannot be sent.\n" }
        let note = commands.contains("cat") ? "# A part is a stream: give it on standard input.\n" : ""
        return "\(note){ \(commands.joined(separator: "; ")); } | "
    }

    private static func commands(_ form: MultipartForm) -> [String]? {
        var commands: [String] = []
        for part in form.parts {
            guard let opening = try? form.opening(part), let body = Self.commands(part.body) else { return nil }
            commands += [printing(opening)] + body + [printing(Data("\r\n".utf8))]
        }
        return commands + [printing(form.closing)]
    }

    private static func commands(_ body: RequestBody) -> [String]? {
        switch body.content {
        case .none: []
        case .data(let data): data.isEmpty ? [] : [printing(data)]
        case .file(let url): ["cat -- \(url.path.shellQuoted)"]
        case .stream: ["cat"]
        case .compressed: nil
        case .multipart(let form): commands(form)
        }
    }

    /// Text by `printf`, so that it can be read; other bytes through base64.
    private static func printing(_ data: Data) -> String {
        guard let text = data.asShellText else { return "echo '\(data.base64EncodedString())' | base64 -d" }
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\r": escaped += "\\r"
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return "printf %b \(escaped.shellQuoted)"
    }
}
