import Foundation
import Testing

@testable import AsyncNet

@Suite("Sec-WebSocket-Accept")
struct WebSocketAcceptTests {
    @Test("The key of RFC 6455 §1.3's example gives the accept value of that example")
    func example() {
        #expect(WebSocketAccept.value(for: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test(
        "SHA-1 gives the digests of the examples in RFC 3174 §7.3 and FIPS 180",
        arguments: [
            ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
            ),
            (
                String(repeating: "01234567", count: 80), "dea356a2cddd90c7a7ecedc5ebb563934f460452"
            ),
        ])
    func hash(message: String, expected: String) {
        #expect(SHA1.hash(Array(message.utf8)).hexadecimal == expected)
    }

    @Test(
        "SHA-1 gives the known digests of messages about as long as a block",
        arguments: [
            (55, "c1c8bbdc22796e28c0e15163d20899b65621d65a"), (56, "c2db330f6083854c99d4b5bfb6e8f29f201be699"),
            (63, "03f09f5b158a7a8cdad920bddc29b81c18a551f5"), (64, "0098ba824b5c16427bd7a1122a5a442a25ec644d"),
        ])
    func blocks(size: Int, expected: String) {
        #expect(SHA1.hash([UInt8](repeating: 0x61, count: size)).hexadecimal == expected)
    }
}
