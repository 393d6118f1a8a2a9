import Foundation
import Testing

@testable import AsyncNet

@Suite("Names in certificates")
struct DistinguishedNameTests {
    /// A DER element with a short length.
    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag, UInt8(content.count)] + content }

    private static func attribute(_ type: [UInt8], _ tag: UInt8, _ value: [UInt8]) -> [UInt8] {
        element(0x30, element(0x06, type) + element(tag, value))
    }

    private static let commonName: [UInt8] = [0x55, 0x04, 0x03]

    @Test(
        "Values of a distinguished name are escaped, and of unsupported string types hexadecimal (RFC 4514 §2.4)",
        arguments: [
            (0x0C, Array("a b".utf8), "CN=a b"), (0x13, Array("x=y".utf8), "CN=x=y"),
            (0x0C, Array(" a,b+\"c\"\\<d>;# ".utf8), ##"CN=\ a\,b\+\"c\"\\\<d\>\;#\ "##),
            (0x0C, Array("#a".utf8), ##"CN=\#a"##),
            (0x0C, Array("é".utf8), "CN=é"), (0x0C, [0x61, 0x00, 0x1B, 0x0A], #"CN=a\00\1b\0a"#),
            (0x0C, Array("\u{202E}x".utf8), #"CN=\e2\80\aex"#), (0x14, [0xE9], "2.5.4.3=#1401e9"),
            (0x1E, [0x00, 0xE9], "2.5.4.3=#1e0200e9"), (0x0C, [0xFF], "2.5.4.3=#0c01ff"),
            (0x02, [5], "2.5.4.3=#020105"),
        ] as [(UInt8, [UInt8], String)])
    func values(_ tag: UInt8, _ value: [UInt8], _ text: String) throws {
        let name = Self.element(0x31, Self.attribute(Self.commonName, tag, value))
        #expect(try DistinguishedName(name[...]).text == text)
    }

    @Test("A distinguished name begins with its last part, and joins attributes of a part by + (RFC 4514 §2.1, §2.2)")
    func order() throws {
        let country = Self.element(0x31, Self.attribute([0x55, 0x04, 0x06], 0x13, Array("SE".utf8)))
        let other = Self.attribute([0x2A, 0x03], 0x0C, Array("x".utf8))
        let name = Self.element(0x31, Self.attribute(Self.commonName, 0x0C, Array("a".utf8)) + other)
        #expect(try DistinguishedName((country + name)[...]).text == "CN=a+1.2.3=#0c0178,C=SE")
        #expect(try DistinguishedName([]).text == "")
    }

    @Test(
        "A subject alternative name is written with its kind",
        arguments: [
            (0x82, Array("*.example.com".utf8), ["DNS:*.example.com"]), (0x81, Array("a@b".utf8), ["email:a@b"]),
            (0x86, Array("https://a/".utf8), ["URI:https://a/"]), (0x87, [127, 0, 0, 1], ["IP:127.0.0.1"]),
            (0x87, [UInt8](repeating: 0, count: 15) + [1], ["IP:::1"]), (0x87, [1, 2, 3], ["IP:#010203"]),
            (0x82, [0x61, 0x00, 0x5C, 0xC3], [#"DNS:a\00\5c\c3"#]), (0x88, [0x2A], []),
        ] as [(UInt8, [UInt8], [String])])
    func alternatives(_ tag: UInt8, _ value: [UInt8], _ texts: [String]) throws {
        let names = Self.element(0x30, Self.element(tag, value))
        #expect(try AlternativeNames(names[...]).texts == texts)
    }

    @Test("A directory name among the subject alternative names is written as a distinguished name")
    func directory() throws {
        let name = Self.element(0x30, Self.element(0x31, Self.attribute(Self.commonName, 0x0C, Array("a".utf8))))
        let names = Self.element(0x30, Self.element(0xA4, name))
        #expect(try AlternativeNames(names[...]).texts == ["DirName:CN=a"])
    }
}
