import Foundation

/// A request's body as `curl` is given it.
struct CurlBody {
    /// Options before the URL.
    private(set) var arguments: [String] = []
    /// What is piped into curl, with the pipe; or a comment that says what is missing.
    private(set) var producer = ""
    /// Whether curl makes the `Content-Type`.
    private(set) var bringsContentType = false

    init(_ body: RequestBody) {
        switch body.content {
        case .none: break
        case .data(let data): add(data)
        case .file(let url): arguments = ["--data-binary \("@\(url.path)".shellQuoted)"]
        case .stream: addStandardInput("The body is a stream: give it on standard input.")
        case .compressed(_, let coding): addStandardInput("The body is compressed while it is sent: give it, with \(coding), on standard input.")
        case .multipart(let form): add(form)
        }
    }

    /// Text as it is; other bytes through base64, since no argument can hold them.
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

    private mutating func add(_ form: MultipartForm) {
        bringsContentType = true
        arguments = form.parts.map { part in
            switch part.body.content {
            case .data(let data) where part.fileName == nil && data.asShellText != nil:
                "--form-string \("\(part.name)=\(data.asShellText ?? "")".shellQuoted)"
            case .file(let url): "-F \("\(part.name)=@\(Self.quoted(url.path))\(Self.file(part))".shellQuoted)"
            default:
                "-F \("\(part.name)=@-\(Self.file(part))".shellQuoted)"
            }
        }
        if arguments.contains(where: { $0.contains("=@-") }) { producer = "# A part is a stream or no text: give it on standard input.\n" }
    }

    /// As curl reads a path between quotes.
    private static func quoted(_ path: String) -> String {
        "\"\(path.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }

    private static func file(_ part: MultipartForm.Part) -> String {
        let name = part.fileName.map { ";filename=\"\(MultipartForm.escaped($0))\"" } ?? ""
        return name + (part.headers["Content-Type"].map { ";type=\($0)" } ?? "")
    }
}

extension String {
    /// In single quotes, in which a POSIX shell expands nothing.
    var shellQuoted: String { "'\(replacing("'", with: #"'\''"#))'" }
}

extension Data {
    /// What can stand in an argument.
    fileprivate var asShellText: String? { contains(0) ? nil : String(validating: self, as: UTF8.self) }
}
