/// The key that a client's frame is masked with (RFC 6455 §5.3).
struct WebSocketMask: Equatable, Sendable {
    /// The key twice, in the order of bytes in memory.
    private let doubled: UInt64

    init(_ key: UInt32) { doubled = UInt64(key) << 32 | UInt64(key) }

    /// The key of four bytes in the order of the frame.
    init(_ bytes: some Sequence<UInt8>) {
        let key = bytes.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        self.init(key.littleEndian)
    }

    /// The key's four bytes in the order of the frame.
    var bytes: [UInt8] { withUnsafeBytes(of: UInt32(truncatingIfNeeded: doubled)) { Array($0) } }

    /// Masks or unmasks bytes that begin at this offset of the payload.
    func apply(to bytes: UnsafeMutableRawBufferPointer, at offset: Int = 0) {
        let key = rotated(by: offset)
        let whole = bytes.count & ~7
        for place in stride(from: 0, to: whole, by: 8) {
            let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            bytes.storeBytes(of: word ^ key, toByteOffset: place, as: UInt64.self)
        }
        withUnsafeBytes(of: key) { key in
            for place in whole..<bytes.count { bytes[place] ^= key[place - whole] }
        }
    }

    /// The doubled key, which begins with the key's byte for this offset.
    private func rotated(by offset: Int) -> UInt64 {
        let bits = UInt64(offset & 3) * 8
        guard bits > 0 else { return doubled }
        let key = doubled.littleEndian
        return (key >> bits | key << (64 - bits)).littleEndian
    }
}
