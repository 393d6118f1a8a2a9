/// The IPv4 addresses that an IPv6 address stands for or leads to.
struct EmbeddedAddresses {
    /// The IPv4 address in a mapped address (RFC 4291 §2.5.5.2), to which the system sends, or in a NAT64 address with
    /// the well-known prefix (RFC 6052 §2.1), to which a translator sends.
    var target: [UInt8]?
    /// The IPv4 addresses in addresses of tunnels, of local translators, and of forms no longer in use. Whether the
    /// system sends bytes to them is not known.
    var others: [[UInt8]] = []

    init(in address: [UInt8]) {
        guard address.count == 16 else { return }
        let last = Array(address[12...])
        if Self.mapped.contains(address) || Self.translator.contains(address) { target = last }
        if Self.compatible.contains(address) || Self.translated.contains(address) { others.append(last) }
        if Self.localTranslator.contains(address) {
            // The network's prefix may have 48, 56, 64 or 96 bits (RFC 6052 §2.2).
            others += [[6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12]].map { $0.map { address[$0] } } + [last]
        }
        if Self.sixToFour.contains(address) { others.append(Array(address[2..<6])) }
        if Self.teredo.contains(address) { others += [Array(address[4..<8]), last.map { ~$0 }] }
        // ISATAP (RFC 5214 §6.1).
        if address[8] & 0xFD == 0, address[9...11] == [0, 0x5E, 0xFE] { others.append(last) }
    }

    private static let mapped = IPNetwork.known("::ffff:0:0/96")
    private static let translator = IPNetwork.known("64:ff9b::/96")
    private static let compatible = IPNetwork.known("::/96")
    private static let translated = IPNetwork.known("::ffff:0:0:0/96")
    private static let localTranslator = IPNetwork.known("64:ff9b:1::/48")
    private static let sixToFour = IPNetwork.known("2002::/16")
    private static let teredo = IPNetwork.known("2001::/32")
}

extension IPNetwork {
    /// The network of a constant text; an array with no element if the text is no network.
    static func known(_ text: StaticString) -> [IPNetwork] { IPNetwork("\(text)").map { [$0] } ?? [] }
}

extension [IPNetwork] {
    func contains(_ address: [UInt8]) -> Bool { contains { $0.contains(address) } }
}
