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
}
