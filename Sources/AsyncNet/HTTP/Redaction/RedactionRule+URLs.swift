extension RedactionRule {
    /// The URL or relative reference with its secrets redacted, see ``text(of:)``.
    package func text(ofURL text: String) -> String {
        PairRedactor(rule: self, place: .queryItem).url(text, isReference: true)
    }

    /// A text with the secrets of the URLs that stand in it redacted, such as a `Link` header.
    package func text(withURLs text: String) -> String { PairRedactor(rule: self, place: .queryItem).text(text) }
}

/// Redacts the values of `name=value` pairs in queries, forms and URLs.
struct PairRedactor {
    let rule: RedactionRule
    let place: RedactionRule.Place
    /// How many levels of texts inside values are still read.
    var depth = RedactionRule.depth
    /// Whether the URLs in the pairs are redacted already.
    var isTextRead = false

    // MARK: URLs

    /// Redacts a URL. Other URLs may stand before it and in its path, as in `url=https://a,https://b/?c`.
    ///
    /// - Parameter isReference: Whether the text is known to be a URL or a relative reference. If not, a `#` begins a
    ///   fragment only after an authority: a text may be `Fix #123`.
    func url(_ text: String, isReference: Bool = false) -> String {
        guard text.utf8.contains(where: { "=@%:#".utf8.contains($0) }) else { return text }
        let bytes = Array(text.utf8)
        var (written, start) = ("", 0)
        for next in Self.schemes(bytes) where next > start {
            written += reference(String(decoding: bytes[start..<next], as: UTF8.self), isReference)
            start = next
        }
        return written + reference(String(decoding: bytes[start...], as: UTF8.self), isReference)
    }

    /// The indices at which URLs begin, before the first `?` or `#`. If no scheme is before a `://`, its URL begins at
    /// the `//`.
    private static func schemes(_ bytes: [UInt8]) -> [Int] {
        let end = bytes.firstIndex { $0 == 0x3F || $0 == 0x23 } ?? bytes.endIndex
        return bytes[..<end].indices.compactMap { mark in
            guard bytes[mark] == 0x3A, bytes[mark..<end].starts(with: "://".utf8) else { return nil }
            let scheme = bytes[..<mark].reversed().prefix {
                HTTPSyntax.isAlphanumeric($0) || [0x2B, 0x2D, 0x2E].contains($0)
            }
            let letter = bytes[(mark - scheme.count)..<mark].firstIndex { $0.asciiLowercased &- 0x61 < 26 }
            return letter ?? mark + 1
        }
    }

    private func reference(_ text: String, _ isReference: Bool) -> String {
        var reference = URLReference(text)
        reference.authority = reference.authority.map(authority)
        reference.path = path(reference.path)
        reference.query = reference.query.map(pairs)
        if let fragment = reference.fragment {
            let mayBeToken = (isReference || reference.authority != nil) && Self.mayBeToken(fragment)
            reference.fragment = mayBeToken ? RedactionRule.mark : self.fragment(fragment)
        }
        return reference.text
    }

    /// Whether a fragment may be a token: it is no path and has no items. Base64 may end with equals signs.
    private static func mayBeToken(_ fragment: String) -> Bool {
        guard !fragment.isEmpty, !fragment.hasPrefix("/"), !fragment.hasPrefix("!/") else { return false }
        return !fragment.utf8.reversed().drop { $0 == 0x3D }.contains(0x3D)
    }

    /// A single-page application has a path and a query of its own in the fragment.
    private func fragment(_ fragment: String) -> String {
        guard let mark = fragment.firstIndex(of: "?") else { return pairs(fragment) }
        return pairs(String(fragment[..<mark])) + "?" + pairs(String(fragment[mark...].dropFirst()))
    }

    /// Userinfo ends with the last `@`. If the text was cut before that, a password follows the last colon, no port.
    private func authority(_ authority: String) -> String {
        let hidden = "\(RedactionRule.mark):\(RedactionRule.mark)"
        if let at = authority.lastIndex(of: "@") { return hidden + authority[at...] }
        guard let colon = authority.lastIndex(of: ":"), case let port = authority[colon...].utf8.dropFirst(),
            port.count > 5 || port.contains(where: { $0 &- 0x30 > 9 }), authority.last != "]"
        else { return authority }
        return hidden
    }

    /// The segments of a path may have parameters, such as `/a;jsessionid=1/b` (RFC 3986 §3.3).
    private func path(_ path: String) -> String {
        guard path.utf8.contains(0x3B) else { return path }
        return path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            segment.split(separator: ";", omittingEmptySubsequences: false)
                .map { String(decoding: pair(ArraySlice($0.utf8)), as: UTF8.self) }.joined(separator: ";")
        }.joined(separator: "/")
    }

    /// A text in which URLs stand between spaces, quotes and angle brackets.
    func text(_ text: String) -> String {
        let bytes = Array(text.utf8)
        guard bytes.contains(where: { "?#@;:".utf8.contains($0) }) else { return text }
        var (result, start): ([UInt8], Int) = ([], 0)
        while true {
            let end = Self.urlEnd(bytes, start)
            result += url(String(decoding: bytes[start..<end], as: UTF8.self)).utf8
            guard end < bytes.endIndex else { break }
            result.append(bytes[end])
            start = end + 1
        }
        return result == bytes ? text : String(decoding: result, as: UTF8.self)
    }

    private static func urlEnd(_ bytes: [UInt8], _ start: Int) -> Int {
        var index = start
        while index < bytes.endIndex, bytes[index] != 0x27, !endsText(bytes[index]) {
            if bytes[index...].starts(with: "://".utf8) {
                index = userinfoEnd(bytes, index + 3)
            } else {
                index += 1
            }
        }
        return index
    }

    private static func endsText(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == 0x22 || byte == 0x3C || byte == 0x3E || byte == 0x5C || byte == 0x60
    }

    /// The end of the userinfo that begins at `start` and may have quotes (RFC 3986 §3.2.1); `start` without userinfo.
    /// If the text was cut in the authority, text after a quote may belong to the userinfo.
    private static func userinfoEnd(_ bytes: [UInt8], _ start: Int) -> Int {
        let end = bytes[start...].firstIndex { endsText($0) || "/?#".utf8.contains($0) } ?? bytes.endIndex
        if let at = bytes[start..<end].lastIndex(of: 0x40) { return at }
        guard end == bytes.endIndex, let quote = bytes[start...].firstIndex(of: 0x27) else { return start }
        return bytes[quote...].contains(where: HTTPSyntax.isAlphanumeric) ? end : start
    }

    // MARK: Pairs

    private func pairs(_ text: String) -> String {
        String(decoding: pairs(ArraySlice(text.utf8)), as: UTF8.self)
    }

    /// Pairs separated by `&`, as in a query or a form.
    func pairs(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for item in bytes.split(separator: 0x26, omittingEmptySubsequences: false) {
            result += pair(item)
            if item.endIndex < bytes.endIndex { result.append(0x26) }
        }
        return result
    }

    private func pair(_ item: ArraySlice<UInt8>) -> [UInt8] {
        if let redacted = secretPair(item, valueEnd: item.endIndex) { return redacted }
        // An item that is not secret may have pairs after semicolons. A secret ends with the item.
        var result: [UInt8] = []
        var rest = item
        while let semicolon = rest.firstIndex(of: 0x3B) {
            result += nested(rest[..<semicolon]) + [0x3B]
            rest = rest[semicolon...].dropFirst()
            let end = rest.firstIndex(of: 0x3B) ?? rest.endIndex
            if let redacted = secretPair(rest, valueEnd: end) { return result + redacted }
        }
        return result + nested(rest)
    }

    /// The pair with all after its equals sign redacted; `nil` if the value is not secret.
    private func secretPair(_ item: ArraySlice<UInt8>, valueEnd: Int) -> [UInt8]? {
        guard let equals = item[..<valueEnd].firstIndex(of: 0x3D) else { return nil }
        let name = String(decoding: PercentBytes.decodedFully(item[..<equals]), as: UTF8.self)
        let value = item[equals..<valueEnd].dropFirst()
        guard let replacement = rule.replacement(for: name, in: place, PercentBytes.text(value)) else { return nil }
        return item[...equals] + Array(PercentEncoding.encoded(replacement).utf8)
    }

    /// The value after an equals sign, or the whole without one, may be an encoded text with secrets of its own.
    private func nested(_ item: ArraySlice<UInt8>) -> [UInt8] {
        guard item.contains(where: { "%=@:\"".utf8.contains($0) }) else { return Array(item) }
        let equals = item.firstIndex(of: 0x3D)
        if isTextRead, equals == nil, PercentBytes.decoded(item).elementsEqual(item) { return Array(item) }
        // What stands before the equals sign is no name if it has marks of a URL or of JSON.
        if let equals, item[..<equals].contains(where: { "\":?".utf8.contains($0) }) {
            guard !isTextRead else { return Array(item) }
            return inner(item, text: String(decoding: item, as: UTF8.self)) { $0.text($0.json($1)) }
        }
        let start = equals.map { $0 + 1 } ?? item.startIndex
        return item[..<start] + inner(item[start...], text: PercentBytes.text(item[start...])) { $0.value($1) }
    }

    /// The redacted form of a text within a text.
    private func inner(
        _ bytes: ArraySlice<UInt8>, text: String, read: (PairRedactor, String) -> String
    ) -> [UInt8] {
        guard depth > 0 else {
            return rule.mayHoldSecret(PercentBytes.decodedFully(bytes)) ? Array(RedactionRule.mark.utf8) : Array(bytes)
        }
        let redacted = read(PairRedactor(rule: rule, place: place, depth: depth - 1), text)
        return redacted == text ? Array(bytes) : Array(PercentEncoding.encoded(redacted).utf8)
    }

    /// A decoded value, which may be JSON, or have URLs and be a form.
    private func value(_ text: String) -> String {
        let text = json(text)
        if BodyRedactor.beginsAsJSON(ArraySlice(text.utf8)) { return text }
        var form = self
        form.isTextRead = true
        return form.pairs(self.text(text))
    }

    private func json(_ text: String) -> String {
        guard text.utf8.contains(0x22) else { return text }
        return String(decoding: JSONRedactor(rule: rule, depth: depth).redacted(ArraySlice(text.utf8)), as: UTF8.self)
    }
}
