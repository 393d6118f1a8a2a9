import Foundation

/// A request as a `curl` command. Every argument stands in single quotes, in which a POSIX shell expands nothing.
struct CurlDescription {
    let showsSecrets: Bool

    func text(_ request: TransportRequest) -> String {
        var arguments = ["curl -v", "-X \(quoted(request.head.method.rawValue))"]
        arguments += request.head.headers.map { "-H \(quoted(text($0)))" }
        arguments += body(request.body)
        arguments.append(quoted(text(request.head.url)))
        return producer(request.body) + arguments.joined(separator: " \\\n    ")
    }

    private func quoted(_ text: String) -> String {
        "'\(text.replacing("'", with: #"'\''"#))'"
    }

    /// curl sends a header without a value only if a semicolon ends it.
    private func text(_ header: HTTPHeader) -> String {
        guard !header.value.isEmpty else { return "\(header.name);" }
        return showsSecrets ? "\(header.name): \(header.value)" : header.description
    }

    private func text(_ url: URL) -> String {
        guard !showsSecrets else { return url.absoluteString }
        return url.withoutSecrets + (url.query() == nil ? "" : "?<redacted>")
    }

    /// Text as it is; other bytes through base64, since no argument can hold them.
    private func body(_ body: RequestBody) -> [String] {
        guard let data = body.data else { return [] }
        return [asText(data).map { "--data-raw \(quoted($0))" } ?? "--data-binary @-"]
    }

    private func producer(_ body: RequestBody) -> String {
        guard let data = body.data, asText(data) == nil else { return "" }
        return "echo '\(data.base64EncodedString())' | base64 -d | "
    }

    private func asText(_ data: Data) -> String? {
        data.contains(0) ? nil : String(validating: data, as: UTF8.self)
    }
}
