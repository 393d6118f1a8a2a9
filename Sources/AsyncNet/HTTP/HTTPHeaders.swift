/// A header: a name, compared case-insensitively, and a value (RFC 9110 §5).
public struct HTTPHeader: Hashable, Sendable {
    /// The name, in the spelling in which it is sent.
    public let name: String
    /// The value; control characters end the request with `.invalidRequest`.
    public let value: String

    /// Creates a header.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    public static func == (one: HTTPHeader, other: HTTPHeader) -> Bool {
        one.value == other.value && one.hasName(other.name)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name.lowercased())
        hasher.combine(value)
    }

    package var isOmission: Bool { value == Self.omission }

    private static let omission = " "

    /// Prevents a transport from adding a header of this name, such as `Accept` or `Accept-Encoding`. URLSession on
    /// Apple platforms adds its own regardless.
    public static func omitting(_ name: String) -> HTTPHeader { HTTPHeader(name: name, value: omission) }

    package func hasName(_ other: String) -> Bool {
        guard name.utf8.count == other.utf8.count else { return false }
        var others = other.utf8.makeIterator()
        return name.utf8.allSatisfy { $0.asciiLowercased == others.next()?.asciiLowercased }
    }

    /// Whether the value lists a token, which the caller gives in lower case.
    fileprivate func lists(_ token: String) -> Bool {
        var rest = value.utf8[...]
        while true {
            let part = rest.prefix { $0 != UInt8(ascii: ",") }
            if part.trimmedHTTPSpace.elementsEqual(token.utf8, by: { $0.asciiLowercased == $1 }) { return true }
            guard part.endIndex < rest.endIndex else { return false }
            rest = rest[part.endIndex...].dropFirst()
        }
    }
}

/// A header as it is written in a message: `[.accept("text/plain"), "X-Trace: \(id)"]`.
extension HTTPHeader: ExpressibleByStringInterpolation {
    /// Creates a header from `Name: value`. Spaces and tabs around the value are removed, the name is taken as it is. A
    /// text without a colon is a name with an empty value.
    public init(stringLiteral text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        self.init(
            name: parts.first.map(String.init) ?? "", value: parts.count > 1 ? String(parts[1]).trimmedHTTPSpace : "")
    }
}

extension HTTPHeader: ShownByDescription {
    /// The header as `Name: value`, with secret values redacted.
    public var description: String { text(redactedBy: .standard) }

    /// The header as ``description`` writes it, by a rule of the user's.
    func text(redactedBy rule: RedactionRule) -> String { "\(name): \(shownValue(rule))" }

    /// The value without secrets: redacted, or without userinfo, query and fragment of the URL that it contains.
    private func shownValue(_ rule: RedactionRule) -> String {
        if let replacement = rule.replacement(for: name, in: .header, value) {
            return replacement == RedactionRule.mark ? "<redacted>" : replacement
        }
        if ["location", "content-location", "referer"].contains(where: { hasName($0) }) {
            return Self.withoutSecrets(value, rule)
        }
        if ["link", "refresh"].contains(where: { hasName($0) }), value.contains(where: { "?@#".contains($0) }) {
            return "<redacted>"
        }
        return rule.value(of: self)
    }

    private static func withoutSecrets(_ text: String, _ rule: RedactionRule) -> String {
        var reference = URLReference(text)
        reference.query = nil
        return reference.redactedText(by: rule)
    }

    var isSecret: Bool { SecretNames.headers.contains(name) }
}

/// Headers in their order; a name may repeat, and is compared case-insensitively.
///
/// Written as an array or a dictionary: `[.accept("text/plain"), "X-Trace: 1"]` or `["X-Trace": "1"]`. The subscript
/// sets or removes; ``add(_:)`` keeps existing headers.
public struct HTTPHeaders: Hashable, Sendable {
    private var headers: [HTTPHeader]

    /// Creates an empty list.
    public init() { headers = [] }
    /// Creates a list of these headers, in their order.
    public init(_ headers: some Sequence<HTTPHeader>) { self.headers = Array(headers) }

    /// Creates headers from a dictionary, sorted by name, so that the order on the wire does not vary.
    public init(_ dictionary: [String: String]) {
        headers = dictionary.sorted { $0.key < $1.key }.map { HTTPHeader(name: $0.key, value: $0.value) }
    }

    /// All values of this name joined by `, ` (RFC 9110 §5.3), or `nil`. Setting replaces all of them; `nil` removes
    /// them.
    ///
    /// Use ``values(for:)`` for `Set-Cookie`, whose values cannot be joined.
    public subscript(name: String) -> String? {
        get {
            guard let first = headers.firstIndex(where: { $0.hasName(name) }) else { return nil }
            return headers[(first + 1)...].reduce(headers[first].value) { joined, header in
                header.hasName(name) ? "\(joined), \(header.value)" : joined
            }
        }
        set {
            if let newValue { update(HTTPHeader(name: name, value: newValue)) } else { remove(name) }
        }
    }

    /// All values of this name, in order.
    public func values(for name: String) -> [String] {
        headers.lazy.filter { $0.hasName(name) }.map(\.value)
    }

    /// All values of this name joined by `, `, or `nil`, as the subscript.
    public func value(for name: String) -> String? { self[name] }

    /// The headers in alphabetical order of their names, those of one name in their order.
    public func sorted() -> HTTPHeaders {
        HTTPHeaders(headers.sorted { $0.name.lowercased() < $1.name.lowercased() })
    }

    /// One value for each name: repeated headers are joined by `, `, in the spelling of the first. Not for
    /// `Set-Cookie`, whose values cannot be joined.
    public var dictionary: [String: String] {
        var fields: [String: String] = [:]
        for header in headers {
            if fields[header.name] == nil, let spelling = fields.keys.first(where: { header.hasName($0) }) {
                fields[spelling]? += ", \(header.value)"
            } else if fields[header.name]?.append(", \(header.value)") == nil {
                fields[header.name] = header.value
            }
        }
        return fields
    }

    /// Whether there is a header of this name.
    public func contains(name: String) -> Bool {
        headers.contains { $0.hasName(name) }
    }

    /// Whether a header lists a token, which is given in lower case.
    package func lists(_ token: String, in name: String) -> Bool {
        headers.contains { $0.hasName(name) && $0.lists(token) }
    }

    /// Adds a header, and keeps others of its name.
    public mutating func add(_ header: HTTPHeader) { headers.append(header) }
    /// Adds a header, and keeps others of its name.
    public mutating func add(name: String, value: String) { add(HTTPHeader(name: name, value: value)) }

    /// Replaces the first header of this name, removes the others, and adds the header if there is none.
    public mutating func update(_ header: HTTPHeader) {
        guard let first = headers.firstIndex(where: { $0.hasName(header.name) }) else { return add(header) }
        headers[first] = header
        guard let next = headers.indices.dropFirst(first + 1).first(where: { headers[$0].hasName(header.name) })
        else { return }
        headers[next...].removeAll { $0.hasName(header.name) }
    }

    /// Replaces all headers of this name, as ``update(_:)``.
    public mutating func update(name: String, value: String) { update(HTTPHeader(name: name, value: value)) }

    /// Removes all headers of this name.
    public mutating func remove(_ name: String) {
        headers.removeAll { $0.hasName(name) }
    }

    mutating func reserveCapacity(_ count: Int) { headers.reserveCapacity(count) }

    /// Appends to the last header's value, after a space; `false` if there is none.
    mutating func continueLast(with more: String) -> Bool {
        guard let last = headers.popLast() else { return false }
        headers.append(HTTPHeader(name: last.name, value: "\(last.value) \(more)".trimmedHTTPSpace))
        return true
    }

    /// Removes the headers whose names are among `others`, and appends `others` with their repetitions.
    mutating func merge(_ others: HTTPHeaders) {
        guard !others.isEmpty else { return }
        guard !isEmpty else { return self = others }
        headers.removeAll { own in others.contains(name: own.name) }
        headers += others.headers
    }
}

extension HTTPHeaders: RandomAccessCollection {
    /// The position of the first header.
    public var startIndex: Int { headers.startIndex }
    /// The position after the last header.
    public var endIndex: Int { headers.endIndex }
    /// The header at a position.
    public subscript(position: Int) -> HTTPHeader { headers[position] }
}

extension HTTPHeaders: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, CustomStringConvertible,
    CustomReflectable
{
    public init(arrayLiteral elements: HTTPHeader...) { headers = elements }

    /// Creates headers in the order of the literal; of equal names, compared case-insensitively, the last wins.
    public init(dictionaryLiteral elements: (String, String)...) {
        headers = []
        for (name, value) in elements { update(HTTPHeader(name: name, value: value)) }
    }

    /// Shown by `dump`; contains no secrets.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: headers.map(\.description)) }

    /// A line for each header, with secret values redacted.
    public var description: String { headers.map(\.description).joined(separator: "\n") }
}

extension UInt8 {
    package var asciiLowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}
