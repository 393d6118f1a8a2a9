public import Foundation

/// A link of a `Link` field (RFC 8288): from a response to another resource, such as the next page.
///
///     let next = response.head?.links.first { $0.has(relation: "next") }?.target
///
/// The target is what a server sent: it may be of any scheme and origin, and credentials must not follow it without a
/// check. ``Session/pages(_:from:parameters:encoder:headers:options:decoder:next:)`` makes that check.
public struct WebLink: Hashable, Sendable {
    /// The URL that the link leads to, resolved against the response's URL (RFC 3986 §5).
    public let target: URL
    /// The URL that the link leads from: the resolved `anchor`, or the response's URL without one.
    public let context: URL
    /// The relation types of the first `rel`, such as `next`, in lower case and in their order; empty without `rel`. A
    /// type may be a URL (RFC 8288 §2.1.2).
    public let relations: [String]
    /// The parameters, `rel` and `anchor` included: names in lower case, values unquoted, the first of each name.
    ///
    /// A `title*` or another parameter of RFC 8187 is decoded, and replaces the one without the asterisk; one that
    /// cannot be decoded is omitted.
    public let parameters: [String: String]

    /// Whether the link has this relation type; the case of letters does not count (RFC 8288 §2.1.1).
    public func has(relation: String) -> Bool { relations.contains(relation.lowercased()) }

    /// The link of a target and parameters as they were sent; `nil` if the target or the anchor is not a URL.
    init?(_ reference: String, _ parameters: [(name: String, value: String)], base: URL) {
        let named = Dictionary(parameters.map { ($0.name, $0.value) }) { first, _ in first }
        guard let target = Self.resolve(reference, base),
            let context = named["anchor"].map({ Self.resolve($0, base) }) ?? base
        else { return nil }
        self.target = target
        self.context = context
        relations = (named["rel"] ?? "").split { $0.isWhitespace }.map { $0.lowercased() }
        self.parameters = Self.decoded(named)
    }

    private static func resolve(_ reference: String, _ base: URL) -> URL? {
        URLReference(reference.trimmedHTTPSpace).resolved(against: URLReference(base.absoluteString)).url
    }

    private static func decoded(_ sent: [String: String]) -> [String: String] {
        var found = sent.filter { !$0.key.hasSuffix("*") }
        for (name, value) in sent where name.hasSuffix("*") {
            if let value = ExtendedValue.decoded(value) { found[String(name.dropLast())] = value }
        }
        return found
    }
}

extension WebLink: ShownByDescription {
    /// The target without userinfo, query and fragment, and the relation types.
    public var description: String { "<\(target.withoutSecrets)>; rel=\"\(relations.joined(separator: " "))\"" }
}

extension HTTPHeaders {
    /// The links of all `Link` fields, in order; relative targets are resolved against `base`.
    func links(relativeTo base: URL) -> [WebLink] {
        values(for: "Link").flatMap { text in
            var scanner = LinkScanner(text)
            return scanner.links().compactMap { WebLink($0.target, $0.parameters, base: base) }
        }
    }
}

extension HTTPResponseHead {
    /// The links of all `Link` fields, in order, relative to the response's URL.
    public var links: [WebLink] { headers.links(relativeTo: url) }
}
