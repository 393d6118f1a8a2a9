/// An identifier of a version of a representation, as in `ETag` (RFC 9110 §8.8.3).
struct EntityTag: Hashable, Sendable {
    let opaque: String
    let isWeak: Bool

    /// Parses `"xyzzy"` or `W/"xyzzy"`; otherwise `nil`. The `W` is case-sensitive, and there are no escapes.
    init?(_ text: String) {
        var rest = text.trimmedHTTPSpace[...].unicodeScalars
        isWeak = rest.starts(with: "W/".unicodeScalars)
        if isWeak { rest = rest.dropFirst(2) }
        guard rest.popFirst() == "\"", rest.popLast() == "\"",
            rest.allSatisfy({ $0 == "!" || $0.value >= 0x23 && $0.value != 0x7F })
        else { return nil }
        opaque = String(rest)
    }

    /// Weak comparison: whether this tag and `other` identify equivalent representations (RFC 9110 §8.8.3.2).
    func isSameVersion(as other: EntityTag) -> Bool { opaque.hasSameBytes(as: other.opaque) }
}

extension EntityTag: CustomStringConvertible {
    var description: String { "\(isWeak ? "W/" : "")\"\(opaque)\"" }
}

/// The rules of `If-Range`, which requests the rest of a body only if the body has not changed.
enum IfRange {
    /// The value of `If-Range` for the rest of this response; `nil` if nothing proves that the bytes have not changed.
    ///
    /// A strong entity tag; without any tag, a `Last-Modified` at least a minute before `Date`. RFC 9110 §8.8.2.2
    /// requires a second if one clock made both, which a client cannot know; browsers use a minute, as here. A weak tag
    /// proves nothing and rules out the date (§13.1.5), and so do different tags.
    static func validator(of headers: HTTPHeaders) -> String? {
        let tags = headers.values(of: .entityTag)
        guard tags.count <= 1 else { return nil }
        if let tag = tags.first.flatMap(EntityTag.init) { return tag.isWeak ? nil : tag.description }
        guard let modified = headers.values(of: .lastModified).only.flatMap({ HTTPDate($0) }),
            let sent = headers.values(of: .date).only.flatMap({ HTTPDate($0) }),
            sent.seconds - modified.seconds >= secondsBetweenClocks
        else { return nil }
        return modified.description
    }

    /// Whether a response has the version of this `If-Range` value; `true` also for a response without such a header.
    static func isSameVersion(_ headers: HTTPHeaders, as validator: String) -> Bool {
        headers.values(of: validator.utf8.first == 0x22 ? .entityTag : .lastModified)
            .allSatisfy { $0.hasSameBytes(as: validator) }
    }

    private static let secondsBetweenClocks: Int64 = 60
}
