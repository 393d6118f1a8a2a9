import Foundation
import Testing

@testable import AsyncNet

@Suite("Message digests", .timeLimit(.minutes(5)))
struct MessageDigestTests {
    private static let alphabet = "abcdefghijklmnopqrstuvwxyz"
    private static let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    private static let eighty = String(repeating: "1234567890", count: 8)
    private static let two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
    private static let long =
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"

    @Test(
        "Digests are as in the examples of RFC 1321 §A.5 and FIPS 180-4",
        arguments: [
            (.md5, "", "d41d8cd98f00b204e9800998ecf8427e"), (.md5, "a", "0cc175b9c0f1b6a831c399e269772661"),
            (.md5, "abc", "900150983cd24fb0d6963f7d28e17f72"),
            (.md5, "message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            (.md5, alphabet, "c3fcd3d76192e4007dfb496cca67e13b"), (.md5, digits, "d174ab98d277d9f5a5611c2c9f419d9f"),
            (.md5, eighty, "57edf4a22be3c955ac49da2e2107b67a"),
            (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (.sha256, two, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
            (.sha256, long, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"),
            (
                .sha512, "",
                """
                cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce\
                47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e
                """
            ),
            (
                .sha512, "abc",
                """
                ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
                2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f
                """
            ),
            (
                .sha512, long,
                """
                8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018\
                501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909
                """
            ),
            (.sha512_256, "", "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"),
            (.sha512_256, "abc", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
            (.sha512_256, long, "3928e184fb8690f840da3988121d31be65cb9d3ef83ee6146feac861e19b563a"),
        ] as [(HashAlgorithm, String, String)])
    func vectors(_ algorithm: HashAlgorithm, _ text: String, _ hexadecimal: String) {
        #expect(MessageDigest.of(text, algorithm: algorithm).hexadecimal == hexadecimal)
        #expect(algorithm.digestSize == hexadecimal.utf8.count / 2)
    }

    @Test(
        "The digests of a million letters a are the published ones",
        arguments: [
            (.md5, "7707d6ae4e027c70eea2a935c2296f21"),
            (.sha256, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
            (
                .sha512,
                """
                e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb\
                de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b
                """
            ),
            (.sha512_256, "9a59a052930187a97038cae692f30708aa6491923ef5194394dc68d56c74fb21"),
        ] as [(HashAlgorithm, String)])
    func million(_ algorithm: HashAlgorithm, _ hexadecimal: String) {
        let thousand = Data(repeating: UInt8(ascii: "a"), count: 1000)
        var digest = MessageDigest(algorithm)
        for _ in 0..<1000 { digest.update(thousand) }
        #expect(digest.finish().hexadecimal == hexadecimal)
    }

    /// Python's hashlib, over the hashes in hexadecimal, joined, of the bytes 0, 1, 2 and so on for each length up to
    /// 600.
    @Test(
        "Digests of inputs of 0 to 600 bytes are as by Python's hashlib",
        arguments: [
            (.md5, "fedbf744e9f34afa0b7c4914076bb4f6"),
            (.sha256, "62acfc975474b2e5edc0ad9ca12d14e1f12d081bee3dc42d7d0449a763ab23de"),
            (
                .sha512,
                """
                a331492e751a1714aba3005d95ac8c71cd8a0cbe9f9d430029670faf5a77cca6\
                8c58a08d9fc36aa0b82c2cd88dd82723ffbd8b95591fcae76a5302ffa9c70e02
                """
            ),
            (.sha512_256, "4f2539c0c3bedb859d3582e88efc12eb2819ca7f0b66bf4e57199aa99152c750"),
        ] as [(HashAlgorithm, String)])
    func lengths(_ algorithm: HashAlgorithm, _ hexadecimal: String) {
        let all = (0...600).map { length in
            MessageDigest.of((0..<length).map { UInt8(truncatingIfNeeded: $0) }, algorithm: algorithm).hexadecimal
        }
        #expect(MessageDigest.of(all.joined(), algorithm: algorithm).hexadecimal == hexadecimal)
    }

    @Test("The digest of random pieces equals the digest of the whole input", arguments: HashAlgorithm.allCases)
    func pieces(_ algorithm: HashAlgorithm) {
        var random = SeededRandom(state: 11)
        let bytes = (0..<1500).map { _ in UInt8.random(in: 0...255, using: &random) }
        let whole = MessageDigest.of(bytes, algorithm: algorithm)
        for longest in [1, 2, 63, 64, 65, 127, 128, 129, 300, 1000] {
            var digest = MessageDigest(algorithm)
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Int.random(in: 0...longest, using: &random)
                digest.update(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            #expect(digest.finish() == whole, "pieces of up to \(longest) bytes")
        }
    }

    @Test(
        "A finished MessageDigest starts again, and its copy continues independently", arguments: HashAlgorithm.allCases
    )
    func values(_ algorithm: HashAlgorithm) {
        var digest = MessageDigest(algorithm)
        digest.update(Data("a".utf8))
        var copy = digest
        copy.update(Data("b".utf8))
        #expect(digest.finish() == MessageDigest.of("a", algorithm: algorithm))
        #expect(digest.finish() == MessageDigest.of("", algorithm: algorithm))
        #expect(copy.finish() == MessageDigest.of("ab", algorithm: algorithm))
    }
}
