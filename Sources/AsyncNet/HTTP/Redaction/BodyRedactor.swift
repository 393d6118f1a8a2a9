import Foundation

/// Redacts fields of a body, which may be cut and need not be valid.
struct BodyRedactor {
    let rule: RedactionRule
    /// How many levels of multipart bodies within parts are still read.
    var depth = 3

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
        let isMedia = ["image", "audio", "video", "font"].contains(type?.type)
        let isForm = type?.subtype == "x-www-form-urlencoded"
        // JSON and forms in UTF-8 have no zero byte. In UTF-16 and UTF-32 they have, and are redacted as a whole.
        if isJSON(type) || isForm ? bytes.contains(0) || Self.hasWideMark(bytes) : !isMedia && Self.isWide(bytes) {
            return Array(RedactionRule.mark.utf8)
        }
        if Self.beginsAsJSON(bytes) { return JSONRedactor(rule: rule).redacted(bytes) }
        if isMedia { return Array(bytes) }
        if isJSON(type) { return JSONRedactor(rule: rule).redacted(bytes) }
        guard isForm || isPlain(type) && Self.beginsAsForm(bytes) else {
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

    static func beginsAsJSON(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        let first = rest.first { $0 > 0x20 && $0 != 0x7F }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    /// Whether the bytes are JSON or a form in UTF-16 or UTF-32 (RFC 4627 §3), whose characters have zero bytes.
    private static func isWide(_ bytes: ArraySlice<UInt8>) -> Bool {
        let zeros = bytes.prefix(4).map { $0 == 0 ? "0" : "x" }.joined()
        guard ["000x", "x000", "0x0x", "x0x0"].contains(zeros) || hasWideMark(bytes) else { return false }
        let narrow = ArraySlice(bytes.prefix(256).filter { $0 != 0 && $0 < 0xFE })
        return beginsAsJSON(narrow) || beginsAsForm(narrow)
    }

    /// Whether the bytes begin with a byte order mark of UTF-16 or UTF-32.
    private static func hasWideMark(_ bytes: ArraySlice<UInt8>) -> Bool {
        [[0xFE, 0xFF], [0xFF, 0xFE], [0, 0, 0xFE, 0xFF]].contains { bytes.starts(with: $0) }
    }

    private func isPlain(_ type: MediaType?) -> Bool {
        guard let type else { return true }
        return type.type == "text" && type.subtype == "plain"
            || type.type == "application" && type.subtype == "octet-stream"
    }

    /// Whether the text begins with a name and an equals sign, after spaces and line ends.
    static func beginsAsForm(_ bytes: ArraySlice<UInt8>) -> Bool {
        let name = bytes.drop { $0 <= 0x20 }.prefix { HTTPSyntax.isAlphanumeric($0) || "-._~%+[]*".utf8.contains($0) }
        return !name.isEmpty && bytes[name.endIndex...].first == 0x3D
    }

    // MARK: Multipart forms

    private func multipart(_ bytes: ArraySlice<UInt8>, _ boundary: String?) -> [UInt8] {
        guard depth > 0 else { return Array(RedactionRule.mark.utf8) }
        return MultipartParts(bytes, boundary: boundary).pieces.flatMap { piece -> [UInt8] in
            switch piece {
            case .part(let part): part.head + content(part) + part.end
            case .other(let bytes): Array(bytes)
            }
        }
    }

    private func content(_ part: MultipartParts.Part) -> [UInt8] {
        let value = String(decoding: part.content, as: UTF8.self)
        if let replacement = rule.replacement(for: part.name ?? "", in: .formField, value) {
            return Array(replacement.utf8)
        }
        var inner = self
        inner.depth -= 1
        return inner.redacted(part.content, contentType: part.headers["Content-Type"] ?? "text/plain")
    }
}
