import Foundation
import Testing

@testable import AsyncNet

/// `Repr-Digest` and `Content-Digest`.
@Suite("Digest fields (RFC 9530)", .timeLimit(.minutes(5)))
struct DigestFieldsTests {
    private static let one = "RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg="
    private static let other = "d435Qo+nKZ+gLcUHn7GQtQ72hiBVAgqoLsZnZPiTGPk="
    private static let long = "YMAam51Jz/jOATT6/zvHrLVgOYTGFy1d6GJiOHTohq4yP+pgk4vf2aCsyRZOtw8MjkM7iw7yZ/WkppmM44T3qg=="

    private static func sha256(_ base64: String = one) -> Checksum { .sha256(base64) }

    @Test(
        "The examples of RFC 9530 are parsed",
        arguments: [
            ("sha-256=:\(one):", [sha256()]), ("sha-256=:\(other):", [sha256(other)]),
            ("sha-512=:\(long):", [.sha512(long)]),
            ("sha-256=:\(other):, sha-512=:\(long):", [sha256(other), .sha512(long)]),
            ("id-sha-256=:\(one):, sha-512=:\(long):", [.sha512(long)]),
            (
                "sha-256=:AEGPTgUMw5e96wxZuDtpfm23RBU3nFwtgY5fw4NYORo=:",
                [.sha256("AEGPTgUMw5e96wxZuDtpfm23RBU3nFwtgY5fw4NYORo=")]
            ),
            (
                "md5=:HUXZLQLMuI/KZ5KDcJPcOA==:, adler=:5mTt5g==:, unixsum=:GQU=:, unixcksum=:7zsHAA==:, crc32c=:Q3lHIA==:",
                []
            ),
        ] as [(String, [Checksum])])
    func examples(_ value: String, _ checksums: [Checksum]) {
        #expect(DigestFields.checksums(value) == checksums)
    }

    @Test(
        "Members and parameters of a digest field that are not SHA-2 digests are ignored",
        arguments: [
            "  sha-256=:\(one):  ", "sha-256=:\(one):;a;b=1;c=\"x\"", "a,sha-256=:\(one):",
            "sha-256=:\(one):\t,\t a=?0", "sha-256=:\(one):,a=1.5,b=-7;c=2.125",
            "a=token;x=*t/a:b, sha-256=:\(one):", "a=\"q\\\"\\\\,;\", sha-256=:\(one):",
            "a=(1 \"b\"  :YQ==:;x c);y, sha-256=:\(one):", "a=(), sha-256=:\(one):",
            "a=@1659578233, sha-256=:\(one):", "a=%\"f%c3%bcr\", sha-256=:\(one):", "*a_b-c.d*1=?1, sha-256=:\(one):",
            "sha-256=:\(one.dropLast()):",
            "sha-256=:\(other):, sha-256=:\(one):", "sha-256=1, sha-256=:\(one):", "a=::, sha-256=:\(one):",
            "a=999999999999999, sha-256=:\(one):",
            "a;  b, sha-256=:\(one):", "sha-256=:\(one):\t",
        ] as [String])
    func lax(_ value: String) {
        #expect(DigestFields.checksums(value) == [Self.sha256()])
    }

    @Test(
        "A digest with another type or length is ignored, and the last one of an algorithm counts",
        arguments: [
            "", "   ", "sha-256", "sha-256=?1", "sha-256=\"\(one)\"", "sha-256=:YQ==:", "sha-256=::",
            "sha-256=:\(long):", "sha-256=(:\(one):)",
            "sha-256=:\(one):, sha-256=1", "sha-256=:\(one):, sha-256=:YQ==:", "sha-512-256=:\(one):", "sha=:\(one):",
            "a=sha-256",
        ] as [String])
    func leftOut(_ value: String) {
        #expect(DigestFields.checksums(value).isEmpty)
    }

    @Test(
        "A malformed digest field gives no checksums",
        arguments: [
            ",", "=", "SHA-256=:\(one):", "sha-256=\(one)", "sha-256 =:\(one):", "sha-256= :\(one):", "sha-256=:\(one)",
            "sha-256=:\(one): a", "sha-256=:é:", "sha-256=:!:", "sha-256=:a b:", "sha-256=:=:", "sha-256=:a:",
            "sha-256=:a=b=:", "sha-256=:\(one)\0:",
        ] as [String])
    func malformed(_ value: String) {
        #expect(DigestFields.checksums(value).isEmpty)
    }

    @Test("Random digest fields never trap the parser, and every parsed digest is valid")
    func fuzzed() {
        let words = [
            "sha-256", "sha-512", "=", ":", ":\(Self.one):", Self.long, ",", ";", " ", "\t", "(", ")", "\"", "\\", "?1",
            "%\"", "%c3", "@", "-", "1", ".5", "a", "*", "é", "\0",
        ]
        var random = SeededRandom(state: 3)
        for _ in 0..<3000 {
            let text = (0..<Int.random(in: 0...9, using: &random)).map { _ in words.randomElement(using: &random) ?? ""
            }.joined()
            if !DigestFields.checksums(text).allSatisfy(\.isValid) { Issue.record("\(text.debugDescription)") }
        }
    }

    @Test("Parsing a digest field with 30,000 keys takes linear time")
    func manyKeys() {
        let keys = (0..<30_000).map { "k\($0)" }.joined(separator: ",")
        #expect(DigestFields.checksums("\(keys), sha-256=:\(Self.one):") == [Self.sha256()])
    }
}
