import Foundation

struct CurlBody {
    private(set) var arguments: [String] = []
    /// The command that writes the body, with a pipe to curl, or a comment about the missing standard input.
    private(set) var producer = ""
    /// Whether curl adds the `Content-Type`.
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

    /// Text unchanged; other bytes as base64, since an argument cannot contain them.
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

    /// As `-F` if curl then sends the same bytes except for the boundary.
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

extension String {
    /// In single quotes, inside which a POSIX shell expands nothing.
    var shellQuoted: String { "'\(replacing("'", with: #"'\''"#))'" }
}

extension Data {
    /// The text, if it can be an argument.
    var asShellText: String? { contains(0) ? nil : String(validating: self, as: UTF8.self) }
}
