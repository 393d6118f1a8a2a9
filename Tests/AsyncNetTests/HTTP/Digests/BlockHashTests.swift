import CAsyncNetPlatform
import Foundation
import Testing

@testable import AsyncNet

@Suite("SHA-256 with and without the processor's instructions", .timeLimit(.minutes(5)))
struct BlockHashTests {
    private static let initial: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]

    /// RFC 6234 §8.5's tests that `MessageDigestTests` does not contain; those of whole bytes.
    @Test(
        "Hashes with and without the processor's instructions are as in RFC 6234's examples",
        arguments: [
            (
                .sha256, String(repeating: "3031323334353637", count: 80),
                "594847328451bdfa85056225462cc1d867d877fb388df0ce35f25ab5562bfbb5"
            ),
            (.sha256, "19", "68aa2e2ee5dff96e3355e6c7ee373e3d6a4e17f75f9518d843709c0c9bc3e3d4"),
            (
                .sha256, "e3d72570dcdd787ce3887ab2cd684652",
                "175ee69b02ba9b58e2b0a5fd13819cea573f3940a94f825128cf4209beabb4e8"
            ),
            (
                .sha512, String(repeating: "3031323334353637", count: 80),
                """
                89d05ba632c699c31231ded4ffc127d5a894dad412c0e024db872d1abd2ba814\
                1a0f85072a9be1e2aa04cf33c765cb510813a39cd5a84c4acaa64d3f3fb7bae9
                """
            ),
            (
                .sha512, "d0",
                """
                9992202938e882e73e20f6b69e68a0a7149090423d93c81bab3f21678d4aceee\
                e50e4e8cafada4c85a54ea8306826c4ad6e74cece9631bfa8a549b4ab3fbba15
                """
            ),
            (
                .sha512, "8d4e3c0e3889191491816e9d98bff0a0",
                """
                cb0b67a4b8712cd73c9aabc0b199e9269b20844afb75acbdd1c153c9828924c3\
                ddedaafe669c5fdd0bc66f630f6773988213eb1b16f517ad0de4b2f0c95c90f8
                """
            ),
        ] as [(HashAlgorithm, String, String)])
    func vectors(_ algorithm: HashAlgorithm, _ text: String, _ digest: String) throws {
        let digits = Array(text)
        let bytes = try stride(from: 0, to: digits.count, by: 2).map {
            try #require(UInt8(String(digits[$0...$0 + 1]), radix: 16))
        }
        #expect(MessageDigest.of(bytes, algorithm: algorithm).hexadecimal == digest)
        if algorithm == .sha256 { #expect(portable(bytes).hexadecimal == digest) }
    }

    @Test("SHA-256 of inputs of 0 to 300 bytes is the same as by the portable code")
    func lengths() {
        var random = SeededRandom(state: 5)
        for length in 0...300 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(MessageDigest.of(bytes, algorithm: .sha256) == portable(bytes), "\(length) bytes")
        }
    }

    @Test(
        "The processor's instructions and the portable code give the same state, for any alignment",
        .enabled(if: cp_has_sha256_instructions() == 1, "The processor has no instructions for SHA-256"))
    func instructions() {
        var random = SeededRandom(state: 6)
        let bytes = (0..<64 * 9 + 16).map { _ in UInt8.random(in: 0...255, using: &random) }
        for (count, offset) in (0...9).flatMap({ count in (0..<16).map { (count, $0) } }) {
            var state = (0..<8).map { _ in UInt32.random(in: 0 ... .max, using: &random) }
            var other = state
            bytes.withUnsafeBytes { all in
                guard let start = all.baseAddress else { return }
                cp_sha256_blocks(&state, start + offset, count)
                cp_sha256_blocks_portable(&other, start + offset, count)
            }
            #expect(state == other, "\(count) blocks at \(offset)")
        }
    }

    @Test("The hash of two pieces equals the hash of the whole input, for any cut", arguments: HashAlgorithm.allCases)
    func cuts(_ algorithm: HashAlgorithm) {
        let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let whole = MessageDigest.of(bytes, algorithm: algorithm)
        for cut in 0...300 {
            var digest = MessageDigest(algorithm)
            digest.update(bytes.prefix(cut))
            digest.update(bytes.suffix(from: cut))
            #expect(digest.finish() == whole, "cut at \(cut)")
        }
    }

    /// The hash with `cp_sha256_blocks_portable`, padded as FIPS 180-4 §5.1.1 says.
    private func portable(_ bytes: [UInt8]) -> [UInt8] {
        var padded = bytes + [0x80]
        while padded.count % 64 != 56 { padded.append(0) }
        padded += withUnsafeBytes(of: UInt64(bytes.count * 8).bigEndian) { Array($0) }
        var state = Self.initial
        cp_sha256_blocks_portable(&state, padded, padded.count / 64)
        return state.map(\.bigEndian).withUnsafeBytes { Array($0) }
    }
}
