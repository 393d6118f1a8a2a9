/// The content of an object identifier as `2.5.4.3` (ITU-T X.690 §8.19).
struct DERObjectIdentifier: Equatable {
    let text: String

    /// `nil` for content that ends inside an arc, or with an arc beyond 64 bits.
    init?(_ content: ArraySlice<UInt8>) {
        guard let last = content.last, last < 0x80 else { return nil }
        var arcs: [UInt64] = []
        var arc: UInt64 = 0
        for byte in content {
            guard arc >> 57 == 0 else { return nil }
            arc = arc << 7 | UInt64(byte & 0x7F)
            guard byte < 0x80 else { continue }
            arcs.append(arc)
            arc = 0
        }
        let root = min(arcs[0] / 40, 2)
        text = ([root, arcs[0] - 40 * root] + arcs.dropFirst()).map(String.init).joined(separator: ".")
    }
}
