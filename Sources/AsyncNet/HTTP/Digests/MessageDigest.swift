package import Foundation

/// A hash of bytes in pieces. A copy continues independently.
struct MessageDigest: Sendable {
    let algorithm: HashAlgorithm
    private var state: any BlockHash
    private var pending: [UInt8] = []
    private var length: UInt64 = 0

    init(_ algorithm: HashAlgorithm) {
        self.algorithm = algorithm
        state = algorithm.blockHash
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        length &+= UInt64(bytes.count)
        let rest = completePending(with: bytes)
        let whole = rest.count & ~(state.blockSize - 1)
        if whole > 0 { state.compress(UnsafeRawBufferPointer(rebasing: rest.prefix(whole))) }
        // Rebased, since debug builds copy a slice more slowly.
        pending += UnsafeRawBufferPointer(rebasing: rest.dropFirst(whole))
    }

    mutating func update(_ data: some DataProtocol) {
        for region in data.regions { region.withUnsafeBytes { update($0) } }
    }

    /// The hash of all bytes. The next `update` starts a new hash.
    mutating func finish() -> [UInt8] {
        let bits = (high: length >> 61, low: length << 3)
        let lengthSize = state.blockSize / 8
        let zeros = (2 * state.blockSize - pending.count - 1 - lengthSize) & (state.blockSize - 1)
        pending.append(0x80)
        pending.append(contentsOf: repeatElement(0, count: zeros))
        if lengthSize > 8 { append(bits.high) }
        append(bits.low)
        pending.withUnsafeBytes { state.compress($0) }
        defer { self = MessageDigest(algorithm) }
        return Array(state.bytes.prefix(algorithm.digestSize))
    }

    static func of(_ bytes: some DataProtocol, algorithm: HashAlgorithm) -> [UInt8] {
        var digest = MessageDigest(algorithm)
        digest.update(bytes)
        return digest.finish()
    }

    static func of(_ text: String, algorithm: HashAlgorithm) -> [UInt8] {
        of(Array(text.utf8), algorithm: algorithm)
    }

    /// Completes a pending block, and returns the remaining bytes.
    private mutating func completePending(with bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard !pending.isEmpty else { return bytes }
        let missing = min(state.blockSize - pending.count, bytes.count)
        pending += UnsafeRawBufferPointer(rebasing: bytes.prefix(missing))
        if pending.count == state.blockSize {
            pending.withUnsafeBytes { state.compress($0) }
            pending.removeAll(keepingCapacity: true)
        }
        return UnsafeRawBufferPointer(rebasing: bytes.dropFirst(missing))
    }

    private mutating func append(_ number: UInt64) {
        withUnsafeBytes(of: state.isBigEndian ? number.bigEndian : number.littleEndian) { pending += $0 }
    }
}

extension DataProtocol {
    /// The SHA-256 of the bytes in hexadecimal digits.
    package var sha256: String { MessageDigest.of(self, algorithm: .sha256).hexadecimal }
}

extension Sequence<UInt8> {
    var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
