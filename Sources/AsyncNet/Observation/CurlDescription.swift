import Foundation

/// A request as a `curl` command. Arguments are in single quotes, inside which a POSIX shell expands nothing.
struct CurlDescription {
    /// What is redacted; with `nil`, secrets are shown.
    let redaction: RedactionRule?
    /// How many bytes of a body are shown; a longer body is replaced by a comment.
    var longestBody = Int.max

    func text(_ request: TransportRequest) -> String {
        let body = body(of: request)
        var headers = request.head.headers
        if body.bringsContentType { headers.remove("Content-Type") }
        // With -X, curl would wait for the body that a HEAD response announces.
        let method = request.head.method
        var arguments = [
            "curl -v", method == .head && request.body.isNone ? "--head" : "-X \(method.rawValue.shellQuoted)",
        ]
        arguments += headers.map { "-H \(text($0).shellQuoted)" }
        // By default curl sends the Content-Type of a form.
        if !body.arguments.isEmpty, !body.bringsContentType, !headers.contains(name: "Content-Type") {
            arguments.append("-H 'Content-Type:'")
        }
        // Without a body curl sends no Content-Length, also for a method such as POST.
        if request.body.isNone, request.head.method.expectsBody, !headers.contains(name: "Content-Length") {
            arguments.append("-H 'Content-Length: 0'")
        }
        arguments += body.arguments + Self.options(for: request.head.url)
        arguments.append(text(request.head).shellQuoted)
        return body.producer + arguments.joined(separator: " \\\n    ")
    }

    private func body(of request: TransportRequest) -> CurlBody {
        let length = request.body.bytesInMemory
        guard length <= longestBody else { return CurlBody(leftOut: "The body has \(length) bytes") }
        guard let redaction else { return CurlBody(request.body) }
        let headers = request.head.headers
        if let coding = headers["Content-Encoding"], coding.trimmedHTTPSpace.asciiLowercased != "identity",
            request.body.data?.isEmpty == false
        {
            return CurlBody(leftOut: "The body is compressed, so that its secrets cannot be redacted")
        }
        return CurlBody(request.body.redacted(by: redaction, contentType: headers["Content-Type"]))
    }

    /// Options against what curl does by default: it expands brackets and braces in URLs, and removes dot segments.
    private static func options(for url: URL) -> [String] {
        let text = url.absoluteString
        let hasPatterns = text.utf8.contains { "[]{}".utf8.contains($0) }
        let hasDots = text.contains("/./") || text.contains("/../") || text.hasSuffix("/.") || text.hasSuffix("/..")
        return (hasPatterns ? ["--globoff"] : []) + (hasDots ? ["--path-as-is"] : [])
    }

    /// curl sends a header with an empty value only as `Name;`, and omits a header for `Name:`.
    private func text(_ header: HTTPHeader) -> String {
        if header.isOmission { return "\(header.name):" }
        guard !header.value.isEmpty else { return "\(header.name);" }
        return redaction.map(header.text(redactedBy:)) ?? "\(header.name): \(header.value)"
    }

    private func text(_ head: HTTPRequestHead) -> String {
        redaction.map(URLReference(head.url.absoluteString).redactedText(by:)) ?? head.urlText
    }
}
