import Foundation

struct CurlBody {
    private(set) var arguments: [String] = []
    /// Text before `curl`: a command that pipes the body to it, or a comment that the body is missing.
    private(set) var producer = ""
    /// Whether curl adds the `Content-Type` itself.
    private(set) var bringsContentType = false

    init(_ body: RequestBody) {
        switch body.content {
        case .none: break
        case .data(let data): add(data)
        case .file(let url): arguments = ["--data-binary \("@\(url.path)".shellQuoted)"]
        case .stream: addStandardInput("The body is a stream: pass it on standard input.")
        case .compressed(_, let coding):
            addStandardInput("The body is compressed while it is sent: pass it, with \(coding), on standard input.")
        case .multipart(let form): add(form)
        }
    }

    /// - Parameter reason: Why the command does not contain the body.
    init(leftOut reason: String) { addStandardInput("\(reason): pass it on standard input.") }

    /// Adds text unchanged, and other bytes as base64, since an argument cannot contain them.
    private mutating func add(_ data: Data) {
        if let text = data.asShellText {
            arguments = ["--data-raw \(text.shellQuoted)"]
        } else {
            arguments = ["--data-binary @-"]
            producer = "echo '\(data.base64EncodedString())' | base64 -d | "
        }
    }

    private mutating func addStandardInput(_ comment: String) {
        arguments = ["--data-binary @-"]
        producer = "# \(comment)\n"
    }

    /// Adds a form: by options such as `-F` if curl then sends the same bytes except for the boundary.
    private mutating func add(_ form: MultipartForm) {
        bringsContentType = true
        let options = form.parts.compactMap(CurlForm.option)
        guard options.count == form.parts.count else {
            addStandardInput("The form has a part that curl has no option for: pass the form on standard input.")
            return arguments.append("-H \("Content-Type: \(form.contentType)".shellQuoted)")
        }
        arguments = options
        let hasStream = options.contains { $0.contains("=@-") }
        if hasStream { producer = "# A part is a stream: pass it on standard input.\n" }
    }
}

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

    /// The part as `-F`; `nil` without a file name and a type, since curl adds both to a file.
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

extension String {
    /// The text in single quotes, inside which a POSIX shell expands nothing.
    var shellQuoted: String { "'\(replacing("'", with: #"'\''"#))'" }
}

extension Data {
    /// The bytes as text, if that can be an argument.
    var asShellText: String? { contains(0) ? nil : String(validating: self, as: UTF8.self) }
}
