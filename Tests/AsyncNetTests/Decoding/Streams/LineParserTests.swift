import Foundation
import Testing

@testable import AsyncNet

@Suite("Line parser", .timeLimit(.minutes(5)))
struct LineParserTests {
    private func lines(_ bytes: [UInt8], limit: Int = 100) -> StreamOutcome<String> {
        outcomeOfAnySplit(of: LineParser(limit: limit), bytes) { $0 }
    }

    @Test(
        "LF, CR and CRLF end a line, with any boundaries of chunks",
        arguments: [
            ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\r\n", ["a"]), ("a\r", ["a"]), ("a\nb", ["a", "b"]),
            ("a\r\nb\r\n", ["a", "b"]),
            ("\n", [""]), ("\r\n", [""]), ("\r", [""]), ("\n\n", ["", ""]), ("\r\r", ["", ""]), ("\n\r", ["", ""]),
            ("\r\n\r\n", ["", ""]),
            ("\r\n\n", ["", ""]), ("\r\r\n", ["", ""]), ("a\n\rb", ["a", "", "b"]),
            ("a\r\n\rb\nc\rd", ["a", "", "b", "c", "d"]),
            (" a \t\n", [" a \t"]),
            ("one line of more than seven bytes\r\nand another", ["one line of more than seven bytes", "and another"]),
            ("a\u{85}b\u{2028}c\u{B}d\u{C}e", ["a\u{85}b\u{2028}c\u{B}d\u{C}e"]),
        ] as [(String, [String])])
    func breaks(_ text: String, _ expected: [String]) {
        #expect(lines(Array(text.utf8)) == StreamOutcome(elements: expected))
    }

    @Test("CR ends its line at once, and an LF after it does not end another line")
    func carriageReturnAtTheEnd() throws {
        var parser = LineParser()
        #expect(try parser.receive(Data("a\r".utf8)) == ["a"])
        #expect(try parser.receive(Data("".utf8)) == [])
        #expect(try parser.receive(Data("\n".utf8)) == [])
        #expect(try parser.receive(Data("\nb".utf8)) == [""])
        #expect(try parser.finish() == ["b"])
    }

    @Test(
        "Characters split by chunks stay whole, and invalid UTF-8 becomes U+FFFD",
        arguments: [
            (Array("é€😀\nü".utf8), ["é€😀", "ü"]), ([0x61, 0xFF, 0x62, 0x0A], ["a\u{FFFD}b"]),
            ([0xE2, 0x82, 0x0A, 0xAC], ["\u{FFFD}", "\u{FFFD}"]),
            ([0xC0, 0x80], ["\u{FFFD}\u{FFFD}"]), ([0xF0, 0x9F, 0x98], ["\u{FFFD}"]), ([0x00, 0x0A], ["\0"]),
        ] as [([UInt8], [String])])
    func utf8(_ bytes: [UInt8], _ expected: [String]) {
        #expect(lines(bytes) == StreamOutcome(elements: expected))
    }

    @Test(
        "A byte order mark is removed only at the start",
        arguments: [
            ("\u{FEFF}a\n\u{FEFF}b", ["a", "\u{FEFF}b"]), ("\u{FEFF}", []), ("\u{FEFF}\n", [""]),
            ("\n\u{FEFF}", ["", "\u{FEFF}"]),
            ("\u{FEFF}\u{FEFF}", ["\u{FEFF}"]),
        ] as [(String, [String])])
    func byteOrderMark(_ text: String, _ expected: [String]) {
        let found = lines(Array(text.utf8))
        #expect(found.elements.map { Array($0.unicodeScalars) } == expected.map { Array($0.unicodeScalars) })
    }

    @Test(
        "A line longer than the limit throws lineTooLong after the lines before it",
        arguments: [
            ("12345\n12345\r\n12345", ["12345", "12345", "12345"], nil), ("1\n123456\n2", ["1"], .lineTooLong),
            ("123456", [], .lineTooLong),
            ("1\n2\r\n123456", ["1", "2"], .lineTooLong), ("12345\r123456\n", ["12345"], .lineTooLong),
        ] as [(String, [String], AsyncNetError.Code?)])
    func limit(_ text: String, _ expected: [String], _ code: AsyncNetError.Code?) {
        #expect(lines(Array(text.utf8), limit: 5) == StreamOutcome(elements: expected, code: code))
    }

    @Test("A slice of Data is parsed from its own start")
    func slice() throws {
        var parser = LineParser()
        #expect(try parser.receive(Data("xxa\nbxx".utf8)[2..<5]) == ["a"])
        #expect(try parser.finish() == ["b"])
    }

    /// Quadratic time would be hours here, not seconds.
    @Test("A mebibyte in single bytes, and a hundred thousand lines at once, take linear time")
    func linear() throws {
        let long = [UInt8](repeating: 0x61, count: StreamLimit.line)
        #expect(
            outcome(of: LineParser(), pieces(of: long, every: 1)) { $0.utf8.count }
                == StreamOutcome(elements: [long.count]))
        let short = Data(String(repeating: "abc\n", count: 100_000).utf8)
        #expect(outcome(of: LineParser(), [short]) { $0 }.elements.count == 100_000)
    }
}
