import Foundation
import Testing

@testable import AsyncNet

/// The rule that decides which domains no cookie is set for: libpsl's, and the built-in one without it.
@Suite("Public suffixes")
struct PublicSuffixesTests {
    static let hasLibrary = PublicSuffixes.library != nil

    @Test(
        "libpsl and the built-in list know the common public suffixes, and no address",
        arguments: [
            ("co.uk", true), ("CO.UK", true), ("co.uk.", true), ("Com.Au", true), ("github.io", true),
            ("s3.amazonaws.com", true), ("com", true), ("localhost", true), ("intranet", true), ("com.", true),
            ("example.com", false), ("example.co.uk", false), ("co.example", false), ("uk.co", false),
            ("me.github.io", false), ("127.0.0.1", false), ("::1", false), ("0x7f.1", false), ("", false), (".", false),
            ("..", false), (".co.uk", false), ("co.uk\0.example", false), ("\0", false),
        ])
    func common(_ domain: String, _ isSuffix: Bool) {
        #expect(PublicSuffixes.isSuffix(domain, nil) == isSuffix)
        #expect(PublicSuffixes.isSuffix(domain, PublicSuffixes.library) == isSuffix)
        #expect(PublicSuffixes.contains(domain) == isSuffix)
    }

    @Test(
        "libpsl knows public suffixes with wildcards, exceptions, private domains and Unicode",
        .enabled(if: hasLibrary),
        arguments: [
            ("x.kobe.jp", true), ("city.kobe.jp", false), ("www.ck", false), ("xn--55qx5d.cn", true), ("公司.cn", true),
            ("公司.CN.", true), ("wroclaw.pl", true), ("foo.unlisted", false),
        ])
    func library(_ domain: String, _ isSuffix: Bool) {
        #expect(PublicSuffixes.isSuffix(domain, PublicSuffixes.library) == isSuffix)
    }

    @Test("Without libpsl only the entries of the built-in list are public suffixes")
    func absentLibrary() {
        #expect(PublicSuffixLibrary(named: "libpsl-which-does-not-exist.so") == nil)
        #expect(PublicSuffixLibrary(named: Platform.zlibName) == nil)
        #expect(!PublicSuffixes.isSuffix("wroclaw.pl", nil))
        #expect(PublicSuffixes.isSuffix("com.pl", nil))
    }

    @Test("Each entry of the built-in list is on libpsl's list", .enabled(if: hasLibrary))
    func entries() {
        let second = BuiltInSuffixes.secondLevels.flatMap { last, labels in labels.map { "\($0).\(last)" } }
        let unknown = (second + BuiltInSuffixes.hosters).filter { !PublicSuffixes.isSuffix($0, PublicSuffixes.library) }
        #expect(unknown == [])
    }

    @Test("A text of more than 255 bytes is not a public suffix")
    func longTexts() {
        #expect(!PublicSuffixes.contains(String(repeating: "a", count: 256)))
        #expect(PublicSuffixes.contains(String(repeating: "a", count: 255)))
        #expect(!PublicSuffixes.contains(String(repeating: "a.", count: 127) + "com"))
        #expect(!PublicSuffixes.contains(String(repeating: "é.", count: 60) + "com"))
    }

    /// The rules by their names, each as a closure of a jar.
    private static let rules: [(String, @Sendable (String) -> Bool)] = [
        ("default", { PublicSuffixes.contains($0) }), ("built-in", { PublicSuffixes.isSuffix($0, nil) }),
    ]

    @Test(
        "A cookie for a public suffix is refused; for a suffix's own host, an address or localhost it is host-only",
        arguments: [
            ("a=1; Domain=co.uk", "https://shop.co.uk/", "refused"),
            ("a=1; Domain=.CO.UK", "https://shop.co.uk/", "refused"),
            ("a=1; Domain=co.uk.", "https://shop.co.uk./", "refused"),
            ("a=1; Domain=co.uk", "https://co.uk/", "co.uk only"),
            ("a=1; Domain=shop.co.uk", "https://www.shop.co.uk/", "shop.co.uk"),
            ("a=1; Domain=github.io", "https://me.github.io/", "refused"),
            ("a=1; Domain=com", "https://example.com/", "refused"),
            ("a=1; Domain=127.0.0.1", "http://127.0.0.1/", "127.0.0.1 only"),
            ("a=1", "http://127.0.0.1/", "127.0.0.1 only"),
            ("a=1; Domain=0.0.1", "http://127.0.0.1/", "refused"), ("a=1", "http://[::1]/", "::1 only"),
            ("a=1; Domain=localhost", "http://localhost/", "localhost only"),
            ("a=1", "http://localhost/", "localhost only"),
            ("a=1; Domain=wiki", "http://wiki/", "wiki only"), ("a=1", "http://wiki/", "wiki only"),
            ("a=1; Domain=corp.example", "http://wiki.corp.example/", "corp.example"),
        ])
    func cookies(_ text: String, _ url: String, _ expected: String) async throws {
        let url = try url.asURL()
        for (name, rule) in Self.rules {
            let jar = CookieJar(isPublicSuffix: rule)
            let stored = await jar.store(setCookie: [text], from: url).first
            let result = stored.map { $0.isHostOnly ? "\($0.domain) only" : $0.domain } ?? "refused"
            #expect(result == expected, "\(name)")
        }
    }

    @Test("CookieJar with and without a file, and single cookies, refuse Domain=co.uk by default")
    func defaults() async throws {
        let url = try "https://shop.co.uk/".asURL()
        #expect(Cookie(setCookie: "a=1; Domain=co.uk", from: url) == nil)
        #expect(await CookieJar().store(setCookie: ["a=1; Domain=co.uk"], from: url) == [])
        let file = URL(filePath: "/nonexistent-\(UUID())")
        #expect(try await CookieJar(file: file).store(setCookie: ["a=1; Domain=co.uk"], from: url) == [])
        #expect(CookieStore().site(of: "a.shop.co.uk") == "shop.co.uk")
    }
}
