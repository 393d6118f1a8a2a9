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
        case .compressed(_, let coding):
            addStandardInput("The body is compressed while it is sent: give it, with \(coding), on standard input.")
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

    /// As `-F` where curl makes the same bytes of it, but for the boundary; otherwise the form is put together by the
    /// shell.
    private mutating func add(_ form: MultipartForm) {
        bringsContentType = true
        let options = form.parts.compactMap(CurlForm.option)
        if options.count == form.parts.count {
            arguments = options
            let hasStream = options.contains { $0.contains("=@-") }
            if hasStream { producer = "# A part is a stream: give it on standard input.\n" }
        } else {
            let whole = (try? form.settled()) ?? form
            arguments = ["-H \("Content-Type: \(whole.contentType)".shellQuoted)", "--data-binary @-"]
            producer = CurlForm.producer(whole)
        }
    }
}

extension String {
    /// In single quotes, in which a POSIX shell expands nothing.
    var shellQuoted: String { "'\(replacing("'", with: #"'\''"#))'" }
}

extension Data {
    /// What can stand in an argument.
    var asShellText: String? { contains(0) ? nil : String(validating: self, as: UTF8.self) }
}
