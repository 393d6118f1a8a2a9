extension RedactionRule {
    /// The URL or relative reference with its secrets redacted, see ``text(of:)``.
    func text(ofURL text: String) -> String { PairRedactor(rule: self, place: .queryItem).url(text) }

    /// A text with the secrets of the URLs that stand in it redacted, such as a `Link` header.
    func text(withURLs text: String) -> String { PairRedactor(rule: self, place: .queryItem).text(text) }
}

/// Redacts the values of `name=value` pairs in queries, forms and URLs.
struct PairRedactor {
    let rule: RedactionRule
    let place: RedactionRule.Place
    /// How many URLs inside values of URLs are still decoded.
    private var depth = 3

    init(rule: RedactionRule, place: RedactionRule.Place) { (self.rule, self.place) = (rule, place) }

    // MARK: URLs

    func url(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 0x3D || $0 == 0x40 || $0 == 0x25 || $0 == 0x3A }) else { return text }
        var reference = URLReference(text)
        reference.authority = reference.authority.map(authority)
        reference.path = path(reference.path)
        reference.query = reference.query.map(pairs)
        // A single-page application has a path and a query of its own in the fragment.
        reference.fragment = reference.fragment.map { fragment in
            guard let mark = fragment.firstIndex(of: "?") else { return pairs(fragment) }
            return pairs(String(fragment[..<mark])) + "?" + pairs(String(fragment[mark...].dropFirst()))
        }
        return reference.text
    }

    /// Userinfo ends with the last `@`. A text that was cut before that ends in what is no port.
    private func authority(_ authority: String) -> String {
        let hidden = "\(RedactionRule.mark):\(RedactionRule.mark)"
        if let at = authority.lastIndex(of: "@") { return hidden + authority[at...] }
        guard let colon = authority.lastIndex(of: ":"), case let port = authority[colon...].utf8.dropFirst(),
            port.count > 5 || port.contains(where: { $0 &- 0x30 > 9 }), authority.last != "]"
        else { return authority }
        return hidden
    }

    /// A path may have another URL in it, and its segments may have parameters, such as `/a;jsessionid=1/b` (RFC 3986
    /// §3.3).
    private func path(_ path: String) -> String {
        if depth > 0, path.contains("://") {
            var inner = self
            inner.depth -= 1
            return inner.text(path)
        }
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
        var result: [UInt8] = []
        for run in bytes.split(omittingEmptySubsequences: false, whereSeparator: Self.endsURL) {
            result += urlInRun(run)
            if run.endIndex < bytes.endIndex { result.append(bytes[run.endIndex]) }
        }
        return result == bytes ? text : String(decoding: result, as: UTF8.self)
    }

    private static func endsURL(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == 0x22 || byte == 0x27 || byte == 0x3C || byte == 0x3E || byte == 0x5C || byte == 0x60
    }

    /// A URL may follow other text without a space, as in `url=https://a/?b`.
    private func urlInRun(_ run: ArraySlice<UInt8>) -> [UInt8] {
        guard let mark = run.indices.first(where: { run[$0...].starts(with: "://".utf8) }) else {
            return Array(url(String(decoding: run, as: UTF8.self)).utf8)
        }
        let scheme = run[..<mark].reversed().prefix {
            HTTPSyntax.isAlphanumeric($0) || [0x2B, 0x2D, 0x2E].contains($0)
        }
        let start = mark - scheme.count
        return run[..<start] + Array(url(String(decoding: run[start...], as: UTF8.self)).utf8)
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

    /// The value after an equals sign, or the whole, may be an encoded URL.
    private func nested(_ item: ArraySlice<UInt8>) -> [UInt8] {
        let start = item.firstIndex(of: 0x3D).map { $0 + 1 } ?? item.startIndex
        let value = item[start...]
        guard depth > 0, value.contains(where: { $0 == 0x25 || $0 == 0x3D || $0 == 0x40 }) else { return Array(item) }
        var inner = self
        inner.depth -= 1
        let text = PercentBytes.text(value)
        let redacted = inner.text(text)
        return redacted == text ? Array(item) : item[..<start] + Array(PercentEncoding.encoded(redacted).utf8)
    }
}

/// Decoding of percent-encoded bytes of any kind (RFC 3986 §2.1); a percent sign without two digits stands for itself.
enum PercentBytes {
    /// A value in a query or a form, in which `+` is a space.
    static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: decoded(bytes), as: UTF8.self) }

    /// Decoded as often as it was encoded, but not more than three times.
    static func decodedFully(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var decoded = Self.decoded(bytes)
        for _ in 0..<2 where decoded.contains(0x25) { decoded = Self.decoded(decoded[...]) }
        return decoded
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            if byte == 0x25, let high = digit(rest.first), let low = digit(rest.dropFirst().first) {
                decoded.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte == 0x2B ? 0x20 : byte)
            }
        }
        return decoded
    }

    static func digit(_ byte: UInt8?) -> UInt8? {
        switch byte {
        case .some(let byte) where byte &- 0x30 < 10: byte - 0x30
        case .some(let byte) where byte.asciiLowercased &- 0x61 < 6: byte.asciiLowercased - 0x61 + 10
        default: nil
        }
    }
}
