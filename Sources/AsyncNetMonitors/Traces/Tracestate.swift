import AsyncNet

extension TraceContext {
    /// What tracing systems pass on with a trace: a list of keys and values (W3C Trace Context §3.3).
    ///
    /// There are at most 32 keys, each once. The system that has changed its value last is the first.
    public struct Tracestate: Hashable, Sendable {
        fileprivate struct Member: Hashable {
            let key: String
            let value: String
            /// The length in the header.
            var length: Int { key.utf8.count + 1 + value.utf8.count }
        }

        private var members: [Member] = []

        /// An empty list.
        public init() {}

        /// Reads the value of the header `tracestate`; several lines are to be joined by commas.
        ///
        /// - Returns: `nil` if a key or value is invalid, a key is there twice, or there are more than 32: such a list
        ///   is not passed on, as W3C's tests require.
        public init?(_ text: String) {
            for part in text.split(separator: ",") {
                let part = String(part).trimmedHTTPSpace
                guard !part.isEmpty else { continue }
                guard let member = Member(part), self[member.key] == nil, members.count < Self.maximumCount else {
                    return nil
                }
                members.append(member)
            }
        }

        /// The keys in their order.
        public var keys: [String] { members.map(\.key) }
        /// Whether there are no members.
        public var isEmpty: Bool { members.isEmpty }

        /// The value of a key.
        public subscript(key: String) -> String? { members.first { $0.key == key }?.value }

        /// Sets the value of a key, which becomes the first; of more than 32 keys, the last is removed.
        ///
        /// - Returns: `false`, without a change, if the key or the value is not allowed.
        @discardableResult
        public mutating func set(_ value: String, for key: String) -> Bool {
            guard Member.isKey(key), Member.isValue(value) else { return false }
            members.removeAll { $0.key == key }
            members.insert(Member(key: key, value: value), at: 0)
            members = Array(members.prefix(Self.maximumCount))
            return true
        }

        /// Removes a key.
        public mutating func remove(_ key: String) { members.removeAll { $0.key == key } }

        /// The value of the header, with at most 512 characters: of a longer list, first the members of more than 128
        /// characters are left out, then others, the last first (§3.3.1.5).
        public var headerValue: String {
            var sent = members
            while Self.length(of: sent) > Self.maximumLength {
                sent.remove(at: sent.lastIndex { $0.length > Self.longMember } ?? sent.count - 1)
            }
            return sent.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
        }

        private static let maximumCount = 32
        private static let maximumLength = 512
        private static let longMember = 128

        private static func length(of members: [Member]) -> Int {
            members.reduce(max(0, members.count - 1)) { $0 + $1.length }
        }
    }
}

extension TraceContext.Tracestate.Member {
    init?(_ text: String) {
        guard let equals = text.firstIndex(of: "=") else { return nil }
        let (key, value) = (String(text[..<equals]), String(text[text.index(after: equals)...]))
        guard Self.isKey(key), Self.isValue(value) else { return nil }
        self.init(key: key, value: value)
    }

    /// 1 to 256 lowercase letters, digits and `_-*/@`; the first is a letter or a digit (Level 2 §3.3.1.3.1).
    static func isKey(_ key: String) -> Bool {
        guard 1...256 ~= key.utf8.count, key.utf8.first.map(isLowercaseOrDigit) == true else { return false }
        return key.utf8.allSatisfy { isLowercaseOrDigit($0) || "_-*/@".utf8.contains($0) }
    }

    /// 1 to 256 printable characters of ASCII but comma and equals sign, the last not a space.
    static func isValue(_ value: String) -> Bool {
        guard 1...256 ~= value.utf8.count, value.utf8.last != 0x20 else { return false }
        return value.utf8.allSatisfy { 0x20...0x7E ~= $0 && $0 != 0x2C && $0 != 0x3D }
    }

    private static func isLowercaseOrDigit(_ byte: UInt8) -> Bool { 0x61...0x7A ~= byte || 0x30...0x39 ~= byte }
}

extension TraceContext.Tracestate: CustomStringConvertible {
    /// The ``headerValue``.
    public var description: String { headerValue }
}
