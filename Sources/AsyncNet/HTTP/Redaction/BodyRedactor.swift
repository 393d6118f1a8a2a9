import Foundation

/// Redacts fields of a body, which may be cut and need not be valid.
struct BodyRedactor {
    let rule: RedactionRule
    /// How many forms inside parts of forms are still read.
    private var depth = 3

    init(rule: RedactionRule) { self.rule = rule }

    func redacted(_ data: Data, contentType: String?) -> Data {
        let bytes = Array(data)
        let redacted = redacted(bytes[...], contentType: contentType)
        return redacted == bytes ? data : Data(redacted)
    }

    private func redacted(_ bytes: ArraySlice<UInt8>, contentType: String?) -> [UInt8] {
        let type = contentType.flatMap(MediaType.last)
        if type?.type == "multipart" || contentType?.lowercased().hasPrefix("multipart/") == true {
            return multipart(bytes, type?.parameters["boundary"])
        }
        if ["image", "audio", "video", "font"].contains(type?.type) { return Array(bytes) }
        if let wide = WideText(bytes) {
            return wide.changed { redacted(ArraySlice($0), contentType: contentType) } ?? Array(bytes)
        }
        if isJSON(type) || beginsAsJSON(bytes) { return JSONRedactor(rule: rule).redacted(bytes) }
        guard type?.subtype == "x-www-form-urlencoded" || isPlain(type) && beginsAsForm(bytes) else {
            return Array(bytes)
        }
        return PairRedactor(rule: rule, place: .formField).pairs(bytes)
    }

    // MARK: Kinds

    /// JSON, and texts of several JSON values: lines, sequences (RFC 7464), server-sent events, scripts.
    private func isJSON(_ type: MediaType?) -> Bool {
        guard let type else { return false }
        return ["json", "ndjson", "javascript", "event-stream"].contains { type.subtype.hasSuffix($0) }
            || type.subtype.contains("json")
    }

    private func beginsAsJSON(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        let first = rest.first { $0 > 0x20 && $0 != 0x7F }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    private func isPlain(_ type: MediaType?) -> Bool {
        guard let type else { return true }
        return type.type == "text" && type.subtype == "plain"
            || type.type == "application" && type.subtype == "octet-stream"
    }

    /// Whether the text begins with a name and an equals sign.
    private func beginsAsForm(_ bytes: ArraySlice<UInt8>) -> Bool {
        let name = bytes.prefix { HTTPSyntax.isAlphanumeric($0) || "-._~%+[]*".utf8.contains($0) }
        return !name.isEmpty && bytes[name.endIndex...].first == 0x3D
    }

    // MARK: Multipart forms

    /// The parts between the boundaries (RFC 2046 §5.1). The first line is the delimiter if
    /// the type has no boundary, or a wrong one.
    private func multipart(_ bytes: ArraySlice<UInt8>, _ boundary: String?) -> [UInt8] {
        guard depth > 0 else { return Array(RedactionRule.mark.utf8) }
        guard let delimiter = delimiter(bytes, boundary) else { return Array(bytes) }
        var result: [UInt8] = []
        var start = bytes.startIndex
        for position in occurrences(of: delimiter, in: bytes) {
            result += part(bytes[start..<position])
            result += delimiter
            start = position + delimiter.count
        }
        return result + part(bytes[start...])
    }

    private func delimiter(_ bytes: ArraySlice<UInt8>, _ boundary: String?) -> [UInt8]? {
        if let boundary, !boundary.isEmpty, case let delimiter = Array("--\(boundary)".utf8),
            bytes.firstRange(of: delimiter) != nil
        {
            return delimiter
        }
        let line = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
        return line.count > 2 ? Array(line) : nil
    }

    private func occurrences(of delimiter: [UInt8], in bytes: ArraySlice<UInt8>) -> [Int] {
        var found: [Int] = []
        var start = bytes.startIndex
        while let next = bytes[start...].firstRange(of: delimiter) {
            found.append(next.lowerBound)
            start = next.upperBound
        }
        return found
    }

    /// What stands between two delimiters: a head, an empty line, the content, a line end.
    private func part(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let ends = [Array("\r\n\r\n".utf8), Array("\n\n".utf8)].compactMap { bytes.firstRange(of: $0)?.upperBound }
        guard let start = ends.min() else { return Array(bytes) }
        var content = bytes[start...]
        while content.last == 0x0A || content.last == 0x0D { content.removeLast() }
        let headers = SentHead.headers(of: bytes[..<start])
        return bytes[..<start] + self.content(content, headers) + bytes[content.endIndex...]
    }

    private func content(_ content: ArraySlice<UInt8>, _ headers: HTTPHeaders) -> [UInt8] {
        let disposition = headers["Content-Disposition"].flatMap { ContentDisposition($0) }
        let name = disposition?.parameters["name"] ?? headers["Content-ID"] ?? ""
        let value = String(decoding: content, as: UTF8.self)
        if let replacement = rule.replacement(for: name, in: .formField, value) { return Array(replacement.utf8) }
        var inner = self
        inner.depth -= 1
        return inner.redacted(content, contentType: headers["Content-Type"] ?? "text/plain")
    }
}

extension SentHead {
    /// The headers of a part of a form, whose lines may be malformed.
    fileprivate static func headers(of bytes: ArraySlice<UInt8>) -> HTTPHeaders {
        ([UInt8]("part\n".utf8) + bytes.drop { $0 == 0x0D || $0 == 0x0A }).withUnsafeBytes { SentHead($0).headers }
    }
}
