/// A name for one version of a representation, as in `ETag` (RFC 9110 §8.8.3).
package struct EntityTag: Hashable, Sendable {
    /// What stands between the quotes.
    package let opaque: String
    /// Whether versions that differ in bytes may have the same one.
    package let isWeak: Bool

    /// Reads `"xyzzy"` or `W/"xyzzy"`; `nil` if it is neither. The `W` is a capital one, and there are no escapes.
    package init?(_ text: String) {
        var rest = text.trimmedHTTPSpace[...].unicodeScalars
        isWeak = rest.starts(with: "W/".unicodeScalars)
        if isWeak { rest = rest.dropFirst(2) }
        guard rest.popFirst() == "\"", rest.popLast() == "\"", rest.allSatisfy(Self.isAllowed) else { return nil }
        opaque = String(rest)
    }

    /// Whether both name the same bytes (RFC 9110 §8.8.3.2).
    package func isSameBytes(as other: EntityTag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }

    /// Whether both name the same version, if only by meaning.
    package func isSameVersion(as other: EntityTag) -> Bool { opaque == other.opaque }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "!" || scalar.value >= 0x23 && scalar.value != 0x7F
    }
}

extension EntityTag: CustomStringConvertible {
    package var description: String { "\(isWeak ? "W/" : "")\"\(opaque)\"" }
}

/// The rules of `If-Range`, which asks for the rest of a body on the condition that it is still the same one.
package enum IfRange {
    /// What may stand in `If-Range` when the rest of this response is asked for; `nil` if nothing proves that bytes are
    /// the same.
    ///
    /// A strong entity tag. Without any, `Last-Modified`, if it is at least a minute before `Date`: RFC 9110 §8.8.2.2
    /// is content with a second where one clock made both, which a client cannot know, or else wants clocks to make no
    /// difference; a minute is what browsers take for that. A weak tag proves nothing, and forbids the date (§13.1.5);
    /// nor do several tags that differ.
    package static func validator(of headers: HTTPHeaders) -> String? {
        let tags = headers.values(of: .entityTag)
        guard tags.count <= 1 else { return nil }
        if let tag = tags.first.flatMap(EntityTag.init) { return tag.isWeak ? nil : tag.description }
        guard let modified = headers.onlyValue(of: .lastModified).flatMap({ HTTPDate($0) }),
            let sent = headers.onlyValue(of: .date).flatMap({ HTTPDate($0) }),
            sent.seconds - modified.seconds >= secondsBetweenClocks
        else { return nil }
        return modified.description
    }

    /// Whether a response is of the version that a validator stands for; one that says nothing of its version is.
    package static func isSameVersion(_ headers: HTTPHeaders, as validator: String) -> Bool {
        headers.values(of: validator.hasPrefix("\"") ? .entityTag : .lastModified).allSatisfy { $0 == validator }
    }

    private static let secondsBetweenClocks: Int64 = 60
}
