import AsyncNet
import AsyncNetMonitors
import Foundation

/// Brings the texts and bodies of one exchange into the form that a file has.
struct WrittenText {
    let format: RecordingFormat
    let secrets: KnownSecrets

    func url(_ url: URL) -> URL {
        let redacted = text(format.redaction.text(of: url))
        let withoutFragment = String(redacted.prefix { $0 != "#" })
        // If the redacted text is no URL, the original must not be written instead.
        return (try? withoutFragment.asURL()) ?? Self.unknown
    }

    private static let unknown = URL(filePath: "/\(RedactionRule.mark)")

    /// The text without known secrets and local ports. The caller has redacted the secrets that a name announces.
    func text(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let written = replaced(bytes)
        return written == bytes ? text : String(decoding: written, as: UTF8.self)
    }

    /// The headers, sorted by name.
    func headers(_ headers: [HTTPHeader]) -> HTTPHeaders {
        HTTPHeaders(headers.map { HTTPHeader(name: $0.name, value: value(of: $0)) }).sorted()
    }

    private func value(of header: HTTPHeader) -> String {
        let rule = format.redaction
        if header.hasName("Cookie") { return rule.cookies(header.value) }
        if header.hasName("Set-Cookie") { return text(rule.setCookie(header.value)) }
        if header.hasName("Content-Type") { return MultipartBoundary.replaced(inType: header.value) }
        return text(rule.value(of: header))
    }

    func body(_ body: Data, _ type: String?) -> Data {
        guard !body.isEmpty else { return body }
        let redacted = format.redaction.body(MultipartBoundary.replaced(in: body, type: type), contentType: type)
        let bytes = Array(redacted)
        let written = replaced(bytes)
        return written == bytes ? redacted : Data(written)
    }

    private func replaced(_ bytes: [UInt8]) -> [UInt8] {
        let hidden = secrets.redacted(bytes)
        return format.keepsLocalPorts ? hidden : LocalPorts.removed(from: hidden)
    }
}
