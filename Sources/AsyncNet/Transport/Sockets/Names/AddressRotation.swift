/// Decides with which of a name's addresses a new connection begins: with the address after the last connection's, in
/// the order of their texts. So each address gets an equal share although a name server shuffles its answers, or
/// addresses come and go.
struct AddressRotation {
    private var last: [String: String] = [:]
    private let start: Int
    private static let mostNames = 1000

    /// - Parameter start: How many addresses are left out at first, so that programs that start together do not all
    ///   begin with the same one.
    init(start: Int) { self.start = start }

    /// - Returns: All addresses, first the ones of the first address's family: on a machine without the other family,
    ///   all turns of that family's addresses would fall to one address.
    mutating func next<Address>(_ addresses: [Address], of name: String, text: (Address) -> String) -> [Address] {
        func isIPv6(_ address: Address) -> Bool { text(address).utf8.contains(UInt8(ascii: ":")) }
        guard let first = addresses.first.map(isIPv6) else { return [] }
        return turn(addresses.filter { isIPv6($0) == first }, first ? "\(name) 6" : name, text)
            + turn(addresses.filter { isIPv6($0) != first }, first ? name : "\(name) 6", text)
    }

    private mutating func turn<Address>(_ addresses: [Address], _ key: String, _ text: (Address) -> String) -> [Address]
    {
        guard addresses.count > 1 else { return addresses }
        let sorted = addresses.map { (text($0), $0) }.sorted { $0.0 < $1.0 }
        let first =
            if let last = last[key] {
                sorted.firstIndex { $0.0 > last } ?? 0
            } else {
                start % sorted.count
            }
        if last.count >= Self.mostNames { last = [:] }
        last[key] = sorted[first].0
        return (sorted[first...] + sorted[..<first]).map(\.1)
    }
}

/// The rotation of all transports that have a resolver.
final class SharedRotation: Sendable {
    private let rotation = Locked(AddressRotation(start: .random(in: 0..<1 << 16)))

    func next(_ addresses: [SocketAddress], of name: String) -> [SocketAddress] {
        rotation.withLock { $0.next(addresses, of: name) { $0.text ?? "" } }
    }

    func next(_ addresses: [ResolvedAddress], of name: String) -> [ResolvedAddress] {
        rotation.withLock { $0.next(addresses, of: name, text: \.text) }
    }
}
