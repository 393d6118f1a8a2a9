import Foundation
import Testing

@testable import AsyncNet

/// What a server calls a file must never choose where it goes, hide it, or make it look like another.
@Suite("File names", .timeLimit(.minutes(5)))
struct FileNameTests {
    @Test(
        "A safe file name is the last component of a path, without characters that a platform forbids or hides",
        arguments: [
            ("a.txt", "a.txt"), ("über €.tar.gz", "über €.tar.gz"), ("a/b/c.txt", "c.txt"), ("a\\b\\c.txt", "c.txt"),
            ("../../etc/passwd", "passwd"),
            ("..\\..\\boot.ini", "boot.ini"),
            ("/etc/", "etc"), ("C:\\x\\y.exe", "y.exe"), ("C:y.exe", "C_y.exe"), ("a:b", "a_b"),
            ("<a>|\"b\"?*", "_a___b___"), (".bashrc", "bashrc"),
            ("...a", "a"), (". .a", "a"),
            (" a ", "a"), ("a. . .", "a"), ("a.txt.", "a.txt"), ("a\0b\n\r\tc\u{7F}\u{85}d", "abcd"),
            ("\u{202E}gpj.exe", "gpj.exe"),
            ("a\u{2066}b\u{2069}\u{200F}\u{061C}c", "abc"),
            ("\u{FEFF}a\u{200B}b", "ab"), ("\u{200E}.a", "a"), (".\u{202E}.a", "a"), ("a.\u{202C}", "a"),
            ("\u{A0}a\u{3000}", "a"),
            ("👨‍👩‍👧.png", "👨‍👩‍👧.png"), ("a\u{FFFE}b", "ab"),
            ("a\u{AD}\u{2060}\u{2028}\u{2029}b", "ab"), ("می\u{200C}خواهم", "می\u{200C}خواهم"),
            ("\u{600}1", "\u{600}1"),
            ("CON", "_CON"), ("con.txt", "_con.txt"), ("Nul.tar.gz", "_Nul.tar.gz"), ("COM1", "_COM1"),
            ("lpt9.x", "_lpt9.x"), ("COM¹", "_COM¹"),
            ("CONOUT$", "_CONOUT$"),
            ("con .txt", "_con .txt"), ("aux.", "_aux"), ("a/PRN", "_PRN"), ("com\u{200B}1", "_com1"),
            ("CONSOLE", "CONSOLE"), ("COM10", "COM10"),
            ("COM", "COM"), ("a.con", "a.con"),
            ("..;/a", "a"), ("a/..b", "b"), ("~", "~"), ("a%2Fb", "a%2Fb"), ("a/b\\", "b"), ("e\u{301}", "e\u{301}"),
        ])
    func safe(_ name: String, _ expected: String) {
        #expect(FileName.safe(name) == expected)
    }

    @Test(
        "A file name without a safe character is refused",
        arguments: [
            "", ".", "..", "...", "/", "\\", "a/..", "../", " ", ". .", "\0", "\u{202E}", "\u{200D}", "a/\u{200D}.",
            "\u{FEFF}.\u{200B}.",
        ])
    func nothing(_ name: String) {
        #expect(FileName.safe(name) == nil)
    }

    @Test(
        "A file name is cut to 255 bytes at a character, and keeps its extension",
        arguments: [
            (String(repeating: "a", count: 255), 255, "a"), (String(repeating: "a", count: 256), 255, "a"),
            (String(repeating: "a", count: 300) + ".txt", 255, "a.txt"),
            (String(repeating: "€", count: 100) + ".txt", 253, "€.txt"),
            (String(repeating: "👩‍👩‍👧", count: 40) + ".jpeg", 239, "👧.jpeg"),
            ("a." + String(repeating: "b", count: 300), 255, "b"),
            (String(repeating: "a", count: 254) + ". .txt" + String(repeating: "b", count: 60), 254, "a"),
            ("a" + String(repeating: "\u{301}", count: 200) + ".txt", 255, "\u{301}.txt"),
        ])
    func length(_ name: String, _ bytes: Int, _ end: String) throws {
        let safe = try #require(FileName.safe(name))
        #expect(safe.utf8.count == bytes)
        #expect(safe.unicodeScalars.reversed().starts(with: end.unicodeScalars.reversed()))
    }

    @Test(
        "The suggested file name comes from Content-Disposition, else from the URL, else it is `download`",
        arguments: [
            ("attachment; filename=a.txt", "http://h/b.html", nil, "a.txt"),
            ("attachment; filename=\"../\"", "http://h/b.html", nil, "b.html"),
            ("attachment", "http://h/b.html", nil, "b.html"),
            (nil, "http://h/x/b%20c.html?q=/d#e/f", "text/plain", "b c.html"), (nil, "http://h/x/", nil, "x"),
            (nil, "http://h/%2e%2e%2fa%2fb", nil, "b"),
            (nil, "http://h/a%00b", nil, "ab"),
            (nil, "http://h/%C3%A4", nil, "ä"), (nil, "http://h/%E4", nil, "%E4"),
            (nil, "http://h/%2e%2e", "text/html", "download.html"),
            (nil, "http://h/", "image/jpeg", "download.jpg"),
            (nil, "http://h", "application/json; charset=utf-8", "download.json"),
            (nil, "http://h/", "application/octet-stream", "download"),
            (nil, "http://h/", "x/y", "download"),
            (nil, nil, nil, "download"), (nil, nil, "TEXT/Plain", "download.txt"),
            ("attachment; filename*=UTF-8''%2e%2e%2f%e2%82%ac; filename=b", nil, nil, "€"),
        ] as [(String?, String?, String?, String)])
    func suggested(_ disposition: String?, _ url: String?, _ type: String?, _ expected: String) {
        let name = FileName.suggested(
            by: disposition.flatMap { ContentDisposition($0) }, url: url.flatMap { URL(string: $0) },
            mediaType: type.flatMap { MediaType($0) })
        #expect(name == expected)
    }

    @Test("Random file names become safe, and a safe file name is unchanged")
    func fuzz() {
        var random = SeededRandom(state: 5)
        let alphabet = [
            "/", "\\", ".", ".", " ", ":", "*", "\0", "\u{202E}", "\u{200D}", "\u{301}", "a", "é", "👩", "CON", "nul",
            "COM1", "\n",
            String(repeating: "long", count: 70), "%2F",
        ]
        for _ in 0..<1500 {
            let name = (0..<Int.random(in: 0...9, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? ""
            }.joined()
            guard let safe = FileName.safe(name) else { continue }
            if !Self.isSafe(safe) || FileName.safe(safe) != safe {
                Issue.record("\(name.debugDescription) became \(safe.debugDescription)")
            }
        }
    }

    private static func isSafe(_ name: String) -> Bool {
        let scalars = name.unicodeScalars
        let forbidden: Set<Unicode.Scalar> = ["/", "\\", ":", "*", "\0", "\u{202E}", "\n"]
        let stem = name.prefix { $0 != "." }.trimmingCharacters(in: .whitespaces).uppercased()
        return !name.isEmpty && name.utf8.count <= 255 && scalars.first != "." && scalars.last != "."
            && scalars.first != " " && scalars.last != " "
            && !scalars.contains(where: forbidden.contains) && !["CON", "NUL", "COM1"].contains(stem)
    }
}
