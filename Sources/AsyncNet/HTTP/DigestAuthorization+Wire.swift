extension DigestAuthorization {
    /// Reads `MD5`, `SHA-256` or `SHA-512-256`, in any case, with `-sess` or without (§3.3).
    static func algorithm(_ name: String) -> (algorithm: HashAlgorithm, isSession: Bool)? {
        let name = name.lowercased()
        let isSession = name.hasSuffix("-sess")
        guard let algorithm = HashAlgorithm(rawValue: isSession ? String(name.dropLast(5)) : name), algorithm != .sha512
        else { return nil }
        return (algorithm, isSession)
    }

    static func protections(_ qop: String?) -> Set<Protection> {
        guard let qop else { return [.none] }
        let names = qop.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }
        return Set(names.compactMap { Protection(rawValue: String($0)) })
    }

    /// The fields of §3.4 in the order of its examples, quoted as there.
    func header(_ use: NonceUse, uri: String, user: String, response: String) -> String {
        var fields = [userField(user), "realm=\(realm.quoted)", "uri=\(uri.quoted)"]
        if let algorithmName { fields.append("algorithm=\(algorithmName)") }
        fields.append("nonce=\(use.nonce.quoted)")
        if use.protection != .none { fields.append("nc=\(use.count)") }
        if use.protection != .none || isSession { fields.append("cnonce=\(use.cnonce.quoted)") }
        if use.protection != .none { fields.append("qop=\(use.protection.rawValue)") }
        fields.append("response=\"\(response)\"")
        if let opaque { fields.append("opaque=\(opaque.quoted)") }
        if hashesUserName { fields.append("userhash=true") }
        return "Digest \(fields.joined(separator: ", "))"
    }

    /// The user name: hashed (§3.4.4), quoted, or encoded as RFC 8187 defines if it is not ASCII.
    private func userField(_ user: String) -> String {
        let user = user.normalized
        if hashesUserName { return "username=\"\(hash("\(user):\(realm)"))\"" }
        return user.utf8.allSatisfy { $0 < 0x80 } ? "username=\(user.quoted)" : "username*=UTF-8''\(user.extendedValue)"
    }
}

extension String {
    /// A quoted-string, with a backslash before `"` and `\` (RFC 9110 §5.6.4).
    fileprivate var quoted: String {
        // By code points: a quote before a combining mark is no `Character` of its own.
        let escaped = unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }
        return "\"\(escaped.joined())\""
    }

    /// Percent-encoded except for attr-char of RFC 8187 §3.2.1.
    fileprivate var extendedValue: String { PercentEncoding.encoded(self, keeping: "!#$&+-.^_`|~") }
}
