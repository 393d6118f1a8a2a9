public import Foundation

/// A URL with variables (RFC 6570, level 4): `users/{name}/repos{?page,tags*}`.
///
///     let template = URLTemplate("users/{name}/repos{?page,tags*}", ["name": name, "page": 2, "tags": ["a", "b"]])
///     let repos = try await session.get(template).serializing([Repo].self).value
///
/// Values are escaped for their place, so that a value cannot add a path segment or a query. Beyond RFC 6570, the dots
/// of an expanded segment that is `.` or `..` are escaped too, so that a value cannot lead out of the path; only
/// `{+name}` and `{#name}`, which keep reserved characters, let it. A variable without a value, or with `nil`, is
/// omitted.
///
/// The text with its variables is ``TransportRequest/urlTemplate`` of the request, for metrics: it is the same for all
/// users. Expanded when the request starts; a malformed template ends the request with `.malformedURL`.
public struct URLTemplate: URLConvertible, Hashable, Sendable {
    /// The template with its variables, such as `users/{name}`.
    public let text: String
    /// The values of the variables.
    public let values: [String: Value]

    /// The value of a variable (RFC 6570 §2.3).
    public enum Value: Hashable, Sendable {
        /// No value: the variable is omitted.
        case undefined
        /// A text.
        case text(String)
        /// Texts; an empty list is omitted.
        case list([String])
        /// Names with texts, in order; omitted if there are none.
        case pairs([Pair])

        /// A name and a text.
        public struct Pair: Hashable, Sendable {
            /// The name.
            public var name: String
            /// The text.
            public var value: String

            /// Creates a pair.
            public init(name: String, value: String) { (self.name, self.value) = (name, value) }
        }
    }

    /// Creates a template with values: texts, numbers, arrays of them, dictionaries.
    public init(_ text: String, _ values: [String: any URLTemplateValue] = [:]) {
        self.text = text
        self.values = values.mapValues(\.templateValue)
    }

    /// The URL's text, with all variables expanded.
    ///
    /// - Throws: ``AsyncNetError`` with code `.malformedURL` if the template is not one of RFC 6570, or limits the
    ///   length of a list, as `{list:3}` does.
    public func expanded() throws(AsyncNetError) -> String {
        var expansion = URLTemplateExpansion(values)
        for part in try URLTemplateParser(text).parts() { try expansion.add(part) }
        return expansion.text
    }

    /// Parses the expanded text, as a `String` is parsed.
    public func asURL() throws -> URL { try expanded().asURL() }
}

extension URLTemplate: CustomStringConvertible, CustomReflectable {
    /// The template without the values.
    public var description: String { text }

    /// Shown by `dump`; contains no values.
    public var customMirror: Mirror { Mirror(self, children: ["text": text]) }
}
