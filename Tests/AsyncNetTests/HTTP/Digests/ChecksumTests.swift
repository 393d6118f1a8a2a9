import Testing

@testable import AsyncNet

@Suite("Checksums", .timeLimit(.minutes(5)))
struct ChecksumTests {
    /// Of the empty text.
    private static let hexadecimal = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    private static let base64 = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    private static let longHexadecimal = """
        cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce\
        47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e
        """
    private static let longBase64 =
        "z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="

    @Test(
        "A SHA-256 checksum is parsed from hexadecimal and Base64",
        arguments: [
            hexadecimal, hexadecimal.uppercased(), base64, " \(hexadecimal)\r\n", "\t\(base64)\n",
            "E3b0C44\(hexadecimal.dropFirst(7))",
        ] as [String])
    func sha256(_ text: String) {
        let checksum = Checksum.sha256(text)
        #expect(checksum.isValid)
        #expect(checksum.algorithm == .sha256)
        #expect(checksum.bytes == MessageDigest.of("", algorithm: .sha256))
        #expect(checksum.description == "sha-256:\(Self.hexadecimal)")
        #expect(checksum == .sha256(Self.hexadecimal))
    }

    @Test(
        "A SHA-512 checksum is parsed from hexadecimal and Base64",
        arguments: [longHexadecimal, longHexadecimal.uppercased(), longBase64, " \(longBase64)\n"])
    func sha512(_ text: String) {
        let checksum = Checksum.sha512(text)
        #expect(checksum.isValid)
        #expect(checksum.bytes == MessageDigest.of("", algorithm: .sha512))
        #expect(checksum.description == "sha-512:\(Self.longHexadecimal)")
    }

    private static let malformedTexts: [String] = [
        "", " ", "e3b0", "\(hexadecimal.dropLast())", "\(hexadecimal)0", "\(hexadecimal)\(hexadecimal)",
        "g\(hexadecimal.dropFirst())",
        "\(base64.dropLast())", "\(base64)=", "?\(base64.dropFirst())", longHexadecimal, longBase64, "sha256-\(base64)",
        "0x\(hexadecimal)",
        "é\(hexadecimal.dropFirst(2))", "٣\(hexadecimal.dropFirst(2))", "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU=",
        "\(hexadecimal)  file.txt",
        "\(base64.prefix(20))\n\(base64.dropFirst(20))", "\(hexadecimal)\u{301}", "+3\(hexadecimal.dropFirst(2))",
    ]

    @Test("A malformed SHA-256 checksum is invalid and has no bytes", arguments: malformedTexts)
    func malformed(_ text: String) {
        #expect(!Checksum.sha256(text).isValid)
        #expect(Checksum.sha256(text).bytes.isEmpty)
        #expect(Checksum.sha256(text).description == "sha-256:<invalid>")
    }

    @Test("A checksum whose length does not fit its algorithm is refused")
    func length() {
        #expect(Checksum(.sha256, bytes: Array(repeating: 7, count: 32))?.isValid == true)
        #expect(Checksum(.sha256, bytes: Array(repeating: 7, count: 31)) == nil)
        #expect(Checksum(.sha512, bytes: Array(repeating: 7, count: 32)) == nil)
        #expect(!Checksum.sha512(Self.hexadecimal).isValid)
        #expect(
            Checksum(.sha256, bytes: Array(repeating: 7, count: 32))
                != Checksum(.sha512_256, bytes: Array(repeating: 7, count: 32)))
    }
}
