import Foundation

/// A form as arguments of `curl`.
enum CurlForm {
    /// The part as `-F` or `--form-string`; `nil` if curl would send other bytes.
    ///
    /// `-F` reads the text before the first `=` as the name, and versions of curl escape quotes, backslashes and line
    /// breaks differently. Parts with headers of their own, or with bytes that are not text, are not supported either.
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

    /// Supported only with a file name and a type, since curl adds both to a file.
    private static func file(_ source: String, _ part: MultipartForm.Part, _ type: String?) -> String? {
        guard let name = part.fileName, !name.isEmpty, let type, isSimpleType(type) else { return nil }
        return "-F \("\(part.name)=@\(source);filename=\(quoted(name));type=\(type)".shellQuoted)"
    }

    private static func isPlain(_ name: String) -> Bool {
        !name.utf8.contains { $0 < 0x20 || $0 == 0x7F || $0 == 0x22 || $0 == 0x5C }
    }

    private static func isSimpleType(_ type: String) -> Bool {
        let halves = type.split(separator: "/", omittingEmptySubsequences: false)
        return halves.count == 2 && halves.allSatisfy { HTTPSyntax.isToken(String($0)) && $0.utf8.count < 128 }
    }

    /// A path or file name in the quotes that curl reads.
    private static func quoted(_ path: String) -> String {
        "\"\(path.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }

    /// Commands that write the form's bytes, with a pipe to curl, or a comment about the missing standard input.
    static func producer(_ form: MultipartForm) -> String {
        guard let commands = commands(form) else { return "# The form contains a part that cannot be sent.\n" }
        let note = commands.contains("cat") ? "# A part is a stream: pass it on standard input.\n" : ""
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

    /// Text by `printf`, so that it is readable; other bytes by base64.
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
