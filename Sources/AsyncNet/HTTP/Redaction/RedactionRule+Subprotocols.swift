extension RedactionRule {
    /// The value of `Sec-WebSocket-Protocol` (RFC 6455 §11.3.4), with `REDACTED` for each subprotocol that may be a
    /// credential.
    ///
    /// A browser's program cannot set the other headers of a handshake, so services take credentials there:
    /// `openai-insecure-api-key.sk-…`, `base64url.bearer.authorization.k8s.io.…`, or `token, …`. A subprotocol may be a
    /// credential if it begins with a secret's name, follows such a name, is longer than 200
    /// bytes, or is not made of words and versions.
    static func subprotocols(_ list: String) -> String {
        var isNamedBefore = false
        return list.split(separator: ",", omittingEmptySubsequences: false).map { item in
            let name = String(item).trimmedHTTPSpace
            defer { isNamedBefore = SecretNames.subprotocols.contains(whole: name) }
            guard isNamedBefore || mayBeCredential(name), !name.isEmpty else { return String(item) }
            return "\(item.prefix { $0 == " " })\(mark)"
        }.joined(separator: ",")
    }

    static func withoutCredentials(_ protocols: [String]) -> [String] {
        let shown = subprotocols(protocols.joined(separator: ",")).split(separator: ",")
        return zip(protocols, shown).filter { $0 == $1 }.map(\.0)
    }

    /// A long text is not searched for names, which would take a time that grows with the square of its length.
    private static func mayBeCredential(_ name: String) -> Bool {
        name.utf8.count > 200 || hasSecretName(name) || !isWords(name)
    }

    /// Whether the whole text, or its beginning up to punctuation, is a secret's name or ends with one: `my-key`.
    private static func hasSecretName(_ text: String) -> Bool {
        let ends = text.indices.filter { !isAlphanumeric(text[$0]) } + [text.endIndex]
        return ends.contains { end in
            let lastWord = text[..<end].split { !isAlphanumeric($0) }.last ?? ""
            return [text[..<end], lastWord].contains { SecretNames.subprotocols.contains(whole: $0) }
        }
    }

    /// Whether a text is made of words and versions, such as `base64.channel.k8s.io` or `statusCheck.v2`: random bytes
    /// in hexadecimal or Base64 change more often between letters and digits, and between cases.
    private static func isWords(_ text: String) -> Bool {
        let changes = zip(text, text.dropFirst()).count { one, next in
            isAlphanumeric(one) && isAlphanumeric(next)
                && (one.isNumber != next.isNumber || one.isLowercase && next.isUppercase)
        }
        return changes <= 3 && text.split { !isAlphanumeric($0) }.allSatisfy { $0.count <= 24 }
    }

    private static func isAlphanumeric(_ character: Character) -> Bool {
        character.asciiValue.map(HTTPSyntax.isAlphanumeric) ?? false
    }
}
