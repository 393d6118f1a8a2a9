/// Decides with which of a name's addresses a new connection begins: with the address after the last connection's, in
/// the order of their texts. So each address gets an equal share although a name server shuffles its answers, or
/// addresses come and go. Shared by all transports that have a resolver.
final class AddressRotation: Sendable {
    private let last = Locked<[String: String]>([:])
    private let start: Int
    private static let mostNames = 1000

    /// - Parameter start: How many addresses are left out at first, so that programs that start together do not all
    ///   begin with the same one.
    init(start: Int = .random(in: 0..<1 << 16)) { self.start = start }

    /// - Returns: All addresses, those of the first one's family first. Each family rotates by itself: in one rotation,
    ///   a machine without IPv6 would use the turns of all IPv6 addresses for the IPv4 address that follows them.
    func next<Address>(_ addresses: [Address], of name: String, text: (Address) -> String) -> [Address] {
        func isIPv6(_ address: Address) -> Bool { text(address).utf8.contains(UInt8(ascii: ":")) }
        guard let first = addresses.first.map(isIPv6) else { return [] }
        return turn(addresses.filter { isIPv6($0) == first }, first ? "\(name) 6" : name, text)
            + turn(addresses.filter { isIPv6($0) != first }, first ? name : "\(name) 6", text)
    }

    private func turn<Address>(_ addresses: [Address], _ key: String, _ text: (Address) -> String) -> [Address] {
        guard addresses.count > 1 else { return addresses }
        let sorted = addresses.map { (text: text($0), address: $0) }.sorted { $0.text < $1.text }
        let texts = sorted.map(\.text)
        let first = last.withLock { last in
            let first = last[key].map { last in texts.firstIndex { $0 > last } ?? 0 } ?? start % texts.count
            if last.count >= Self.mostNames { last = [:] }
            last[key] = texts[first]
            return first
        }
        return (sorted[first...] + sorted[..<first]).map(\.address)
    }
}
