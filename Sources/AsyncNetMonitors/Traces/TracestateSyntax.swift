import AsyncNet

/// The syntax of the header `tracestate` (W3C Trace Context §3.3).
enum TracestateSyntax {
    private static let mostMembers = 32

    /// The list without empty members, and without spaces around members.
    ///
    /// - Returns: `nil` if a key or value is invalid, a key occurs twice, or the list has more than 32 members: such a
    ///   list is not passed on, as W3C's tests require.
    static func list(_ text: String) -> String? {
        let members = text.split(separator: ",").map { String($0).trimmedHTTPSpace }.filter { !$0.isEmpty }
        var keys: Set<Substring> = []
        for member in members {
            guard let equals = member.firstIndex(of: "="), isKey(member[..<equals]),
                isValue(member[member.index(after: equals)...]), keys.insert(member[..<equals]).inserted
            else { return nil }
        }
        return members.count <= mostMembers ? members.joined(separator: ",") : nil
    }

    /// 1 to 256 lowercase letters, digits and `_-*/@`; the first is a letter or a digit (Level 2 §3.3.1.3.1).
    private static func isKey(_ key: Substring) -> Bool {
        guard 1...256 ~= key.utf8.count, key.utf8.first.map(isLowercaseOrDigit) == true else { return false }
        return key.utf8.allSatisfy { isLowercaseOrDigit($0) || "_-*/@".utf8.contains($0) }
    }

    /// 1 to 256 printable characters of ASCII but comma and equals sign, the last not a space.
    private static func isValue(_ value: Substring) -> Bool {
        guard 1...256 ~= value.utf8.count, value.utf8.last != 0x20 else { return false }
        return value.utf8.allSatisfy { 0x20...0x7E ~= $0 && $0 != 0x2C && $0 != 0x3D }
    }

    private static func isLowercaseOrDigit(_ byte: UInt8) -> Bool { 0x61...0x7A ~= byte || 0x30...0x39 ~= byte }
}
