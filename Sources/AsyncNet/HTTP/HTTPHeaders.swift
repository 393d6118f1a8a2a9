/// One header: a name, compared without regard to case, and a value.
public struct HTTPHeader: Hashable, Sendable {
    public let name: String
    public let value: String

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

    /// Whether it stands for a header that is not to be sent, see ``omitting(_:)``.
    package var isOmission: Bool { value == Self.omission }

    private static let omission = " "

    /// Keeps a transport from adding a header of this name by itself, such as `Accept` or `Accept-Encoding`. URLSession
    /// on Apple platforms adds its own regardless.
    public static func omitting(_ name: String) -> HTTPHeader { HTTPHeader(name: name, value: omission) }

    func hasName(_ other: String) -> Bool {
        name.utf8.count == other.utf8.count
            && zip(name.utf8, other.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }
}

extension HTTPHeader: CustomStringConvertible, CustomReflectable {
    /// `Name: value`, the value hidden if the header carries a secret.
    public var description: String { "\(name): \(shownValue)" }

    /// What `dump` shows: no secrets.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }

    /// Without what is secret: all of it, or user information, query and fragment of the URL that it is or holds.
    private var shownValue: String {
        if isSecret { return "<redacted>" }
        if ["location", "content-location", "referer"].contains(where: { hasName($0) }) {
            return Self.withoutSecrets(value)
        }
        if ["link", "refresh"].contains(where: { hasName($0) }), value.contains(where: { "?@#".contains($0) }) {
            return "<redacted>"
        }
        return value
    }

    private static func withoutSecrets(_ text: String) -> String {
        var reference = URLReference(text)
        (reference.query, reference.fragment) = (nil, nil)
        if let at = reference.authority?.lastIndex(of: "@") { reference.authority?.removeSubrange(...at) }
        return reference.text
    }

    /// Whether the header's value must not reach a description or a log.
    package var isSecret: Bool {
        ["authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key"].contains { hasName($0) }
    }
}

/// Headers in the order they were given, several of one name allowed, names compared without regard to case.
///
/// Written as an array or a dictionary: `[.accept("text/plain"), .init(name: "X-Trace", value: "1")]` or
/// `["X-Trace": "1"]`. The subscript sets or removes; ``add(_:)`` keeps what is there.
public struct HTTPHeaders: Hashable, Sendable {
    private var headers: [HTTPHeader]

    public init() { headers = [] }
    public init(_ headers: some Sequence<HTTPHeader>) { self.headers = Array(headers) }

    /// Headers from a dictionary, in the order of their names, so that the same dictionary is sent the same way.
    public init(_ dictionary: [String: String]) {
        headers = dictionary.sorted { $0.key < $1.key }.map { HTTPHeader(name: $0.key, value: $0.value) }
    }

    /// All values of this name joined by `, ` (RFC 9110 §5.3), or `nil`. Setting replaces every value; `nil` removes.
    ///
    /// `Set-Cookie` cannot be joined: ask for ``values(for:)`` there.
    public subscript(name: String) -> String? {
        get {
            var joined: String?
            for header in headers where header.hasName(name) {
                joined = joined.map { "\($0), \(header.value)" } ?? header.value
            }
            return joined
        }
        set {
            if let newValue { set(HTTPHeader(name: name, value: newValue)) } else { remove(name) }
        }
    }

    /// Every value of this name, in order.
    public func values(for name: String) -> [String] {
        headers.lazy.filter { $0.hasName(name) }.map(\.value)
    }

    public func contains(name: String) -> Bool {
        headers.contains { $0.hasName(name) }
    }

    /// Adds a header and keeps others of its name.
    public mutating func add(_ header: HTTPHeader) { headers.append(header) }
    public mutating func add(name: String, value: String) { add(HTTPHeader(name: name, value: value)) }

    /// Replaces the first header of this name, where it stands, and removes the others; adds it if there was none.
    public mutating func set(_ header: HTTPHeader) {
        guard let first = headers.firstIndex(where: { $0.hasName(header.name) }) else { return add(header) }
        headers[first] = header
        guard let next = headers.indices.dropFirst(first + 1).first(where: { headers[$0].hasName(header.name) })
        else { return }
        headers[next...].removeAll { $0.hasName(header.name) }
    }

    public mutating func remove(_ name: String) {
        headers.removeAll { $0.hasName(name) }
    }

    mutating func reserveCapacity(_ count: Int) { headers.reserveCapacity(count) }

    /// Adds to the last header's value, after one space; `false` if there is none.
    mutating func continueLast(with more: String) -> Bool {
        guard let last = headers.popLast() else { return false }
        headers.append(HTTPHeader(name: last.name, value: "\(last.value) \(more)".trimmedHTTPSpace))
        return true
    }

    /// A value for each name, repeated ones joined by `, `; the first one's spelling counts.
    package var joinedByName: [String: String] {
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

    /// Sets each of `others` over what is here, keeping several values of one name together.
    package mutating func merge(_ others: HTTPHeaders) {
        guard !isEmpty else { return self = others }
        headers.removeAll { own in others.contains(name: own.name) }
        headers += others.headers
    }
}

extension HTTPHeaders: RandomAccessCollection {
    public var startIndex: Int { headers.startIndex }
    public var endIndex: Int { headers.endIndex }
    public subscript(position: Int) -> HTTPHeader { headers[position] }
}

extension HTTPHeaders: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, CustomStringConvertible,
    CustomReflectable
{
    public init(arrayLiteral elements: HTTPHeader...) { headers = elements }

    public init(dictionaryLiteral elements: (String, String)...) {
        headers = elements.map { HTTPHeader(name: $0.0, value: $0.1) }
    }

    /// What `dump` shows: no secrets.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: headers.map(\.description)) }

    /// A line a header, secrets hidden.
    public var description: String { headers.map(\.description).joined(separator: "\n") }
}

extension UInt8 {
    package var asciiLowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}
