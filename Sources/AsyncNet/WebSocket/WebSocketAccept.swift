import Foundation

/// `Sec-WebSocket-Accept` (RFC 6455 §4.2.2).
package enum WebSocketAccept {
    private static let suffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    package static func value(for key: String) -> String {
        Data(SHA1.hash(Array((key + suffix).utf8))).base64EncodedString()
    }
}

/// SHA-1 (RFC 3174), which is not secure. WebSocket hashes only 60 bytes of the handshake with it, where nothing
/// depends on its strength or speed. So SHA-1 is not in `HashAlgorithm`, which authentication chooses from.
enum SHA1 {
    static func hash(_ message: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        let blocks = padded(message)
        for start in stride(from: 0, to: blocks.count, by: 64) { add(blocks[start..<start + 64], to: &state) }
        return state.flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
    }

    private static func padded(_ message: [UInt8]) -> [UInt8] {
        var blocks = message + [0x80]
        blocks += repeatElement(0, count: (120 - blocks.count % 64) % 64)
        withUnsafeBytes(of: (UInt64(message.count) * 8).bigEndian) { blocks += $0 }
        return blocks
    }

    private static func add(_ block: ArraySlice<UInt8>, to state: inout [UInt32]) {
        let words = expanded(block)
        var a = state[0]
        var b = state[1]
        var c = state[2]
        var d = state[3]
        var e = state[4]
        for (round, word) in words.enumerated() {
            let (mixed, constant) = mix(round, b, c, d)
            let next = rotated(a, 5) &+ mixed &+ e &+ constant &+ word
            e = d
            d = c
            c = rotated(b, 30)
            b = a
            a = next
        }
        for (place, value) in [a, b, c, d, e].enumerated() { state[place] &+= value }
    }

    private static func expanded(_ block: ArraySlice<UInt8>) -> [UInt32] {
        var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { start in
            block[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        for t in 16..<80 { words.append(rotated(words[t - 3] ^ words[t - 8] ^ words[t - 14] ^ words[t - 16], 1)) }
        return words
    }

    private static func mix(_ round: Int, _ b: UInt32, _ c: UInt32, _ d: UInt32) -> (UInt32, UInt32) {
        switch round {
        case ..<20: (b & c | ~b & d, 0x5A82_7999)
        case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
        case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
    }

    private static func rotated(_ word: UInt32, _ bits: UInt32) -> UInt32 { word << bits | word >> (32 - bits) }
}
