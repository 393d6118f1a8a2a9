import AsyncNet

extension TraceContext {
    /// Names and values that the application passes on with a trace, such as a customer's number (W3C Baggage).
    ///
    /// Every service that receives a request can read them. A header has at most 64 members and 8192 bytes: what
    /// follows is left out, both of a header that is read and of one that is sent.
    public struct Baggage: Hashable, Sendable {
        /// A name with its value.
        public struct Member: Hashable, Sendable {
            /// A token (RFC 9110 §5.6.2).
            public let name: String
            /// Any text; percent-encoded in the header.
            public let value: String
            /// What the specification leaves to applications, each `key` or `key=value` as in the header.
            public let properties: [String]

            /// Makes a member; `nil` if the name is not a token or a property is invalid.
            public init?(name: String, value: String, properties: [String] = []) {
                guard HTTPSyntax.isToken(name), properties.allSatisfy(BaggageSyntax.isProperty) else { return nil }
                (self.name, self.value, self.properties) = (name, value, properties)
            }

            /// The member in the header.
            var text: String {
                ([name + "=" + BaggageSyntax.encoded(value)] + properties).joined(separator: ";")
            }
        }

        /// The members in their order. A header may have a name several times.
        public private(set) var members: [Member] = []

        static let maximumCount = 64
        static let maximumLength = 8192

        /// Nothing.
        public init() {}

        /// Reads the value of the header `baggage`; several lines are to be joined by commas. Invalid members are left
        /// out.
        public init(_ text: String) {
            var length = -1
            for part in text.utf8.split(separator: UInt8(ascii: ",")) where members.count < Self.maximumCount {
                guard let member = BaggageSyntax.member(Substring(part)) else { continue }
                length += member.text.utf8.count + 1
                guard length <= Self.maximumLength else { return }
                members.append(member)
            }
        }

        /// Whether there are no members.
        public var isEmpty: Bool { members.isEmpty }

        /// The first value of a name. Setting replaces all members of that name by one without properties, or removes
        /// them with `nil`; a name that is not a token (RFC 9110 §5.6.2) is not stored.
        public subscript(name: String) -> String? {
            get { members.first { $0.name == name }?.value }
            set {
                members.removeAll { $0.name == name }
                if let newValue, let member = Member(name: name, value: newValue) { members.append(member) }
            }
        }

        /// Adds a member after the others.
        public mutating func add(_ member: Member) { members.append(member) }

        /// The value of the header, of at most 64 members and 8192 bytes; what follows is left out.
        public var headerValue: String {
            var (text, count) = ("", 0)
            for member in members.prefix(Self.maximumCount).map(\.text) {
                let length = text.utf8.count + (count > 0 ? 1 : 0) + member.utf8.count
                guard length <= Self.maximumLength else { break }
                text += (count > 0 ? "," : "") + member
                count += 1
            }
            return text
        }
    }
}

extension TraceContext.Baggage: ExpressibleByDictionaryLiteral {
    /// Names and values, as the subscript sets them.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { self[name] = value }
    }
}

extension TraceContext.Baggage: CustomStringConvertible, CustomReflectable {
    /// The names; values may be secret.
    public var description: String { members.map(\.name).joined(separator: ", ") }

    /// What `dump` shows: the names.
    public var customMirror: Mirror { Mirror(self, children: ["names": description]) }
}

extension TraceContext.Baggage.Member: CustomStringConvertible, CustomReflectable {
    /// The name; the value may be secret.
    public var description: String { name }

    /// What `dump` shows: the name.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
