import Testing

@testable import AsyncNet

@Suite("HTTP head parser")
struct HTTPHeadParserTests {
    /// The lines of a head, each with its line break, as libcurl hands them on.
    private func parse(_ lines: [[UInt8]], limit: Int = 1000) throws -> HTTPHeadParser {
        var parser = HTTPHeadParser(limit: limit)
        for line in lines {
            _ = try line.withUnsafeBufferPointer { line throws in try parser.receive(line) }
        }
        return parser
    }

    private func headers(_ lines: String...) throws -> [String] {
        let parser = try parse(lines.map { Array(($0 + "\r\n").utf8) })
        return parser.headers.map { "\($0.name)=\($0.value)" }
    }

    @Test(
        "A status line is parsed into version and status",
        arguments: [
            ("HTTP/1.1 200 OK", 200, "HTTP/1.1"), ("HTTP/1.0 404 Not Found", 404, "HTTP/1.0"),
            ("HTTP/2 204 ", 204, "HTTP/2"),
            ("HTTP/1.1 599", 599, "HTTP/1.1"), ("HTTP/1.1 100 Continue", 100, "HTTP/1.1"),
            ("HTTP/1.1 200 caf\u{E9}", 200, "HTTP/1.1"),
        ])
    func status(_ line: String, _ code: Int, _ version: String) throws {
        let parser = try parse([Array((line + "\r\n").utf8)])
        #expect(parser.statusCode == code)
        #expect(parser.httpVersion == version)
    }

    @Test(
        "The reason phrase is what follows the status and one space",
        arguments: [
            ("HTTP/1.1 200 OK", "OK"), ("HTTP/1.1 404 Not  Found ", "Not  Found "), ("HTTP/1.1 200 ", ""),
            ("HTTP/1.1 200", nil), ("HTTP/1.1 200 café", "café"),
            ("HTTP/1.1 200 a\rb", nil), ("HTTP/2 200 ", ""), ("HTTP/1.1 200  x", " x"),
        ] as [(String, String?)])
    func reason(_ line: String, _ phrase: String?) throws {
        let url = try "http://a/".asURL()
        #expect(try parse([Array((line + "\r\n").utf8)]).head(url: url).reasonPhrase == phrase)
    }

    @Test("The parsed head keeps order, spelling and repetitions of headers")
    func headers() throws {
        #expect(
            try headers("HTTP/1.1 200 OK", "B: 1", "a: 2", "B: 3", "Set-Cookie: x=1, y") == [
                "B=1", "a=2", "B=3", "Set-Cookie=x=1, y",
            ])
    }

    @Test("Optional space around a header's value is removed (RFC 9112 §5.1)")
    func space() throws {
        #expect(try headers("A:1", "B:   2 \t", "C:", "D:  ", "E: a b") == ["A=1", "B=2", "C=", "D=", "E=a b"])
    }

    @Test("An obsolete line fold is replaced by one space (RFC 9112 §5.2)")
    func folding() throws {
        #expect(try headers("A: 1", "  2", "\t3", "B: 4") == ["A=1 2 3", "B=4"])
        #expect(try headers("A:", " 1") == ["A=1"])
    }

    @Test("A header line may end with a bare line feed")
    func lineFeed() throws {
        let parser = try parse([Array("A: 1\n".utf8), Array("B: 2".utf8)])
        #expect(parser.headers.map(\.value) == ["1", "2"])
    }

    @Test("A header's value is decoded as UTF-8 if it is valid, otherwise as Latin-1")
    func encodings() throws {
        let latin = try parse([Array("A: caf".utf8) + [0xE9, 0x0D, 0x0A]])
        #expect(latin.headers["A"] == "café")
        let utf8 = try parse([Array("A: café €\r\n".utf8)])
        #expect(utf8.headers["A"] == "café €")
    }

    @Test(
        "Bytes of a Location or Content-Location that are not UTF-8 are percent-encoded",
        arguments: [("Location", "/%E4?b=%FF"), ("content-location", "/%E4?b=%FF"), ("X", "/ä?b=ÿ")])
    func uris(_ name: String, _ expected: String) throws {
        let parser = try parse([Array("\(name): /".utf8) + [0xE4] + Array("?b=".utf8) + [0xFF, 0x0D, 0x0A]])
        #expect(parser.headers[name] == expected)
        #expect(try headers("Location: /ä") == ["Location=/ä"])
    }

    @Test("Only an empty line ends the head")
    func end() throws {
        var parser = HTTPHeadParser(limit: 100)
        let ends = try ["HTTP/1.1 200 OK\r\n", "A: 1\r\n", "\r\n"].map { line in
            try Array(line.utf8).withUnsafeBufferPointer { line throws in try parser.receive(line) }
        }
        #expect(ends == [false, false, true])
    }

    @Test(
        "A malformed status line or header line throws badServerResponse, whose message does not repeat it",
        arguments: [
            "no colon", ": no name", "A : space before the colon", "A B: space in the name", "A\u{E9}: not ASCII",
            "A: nul\u{0}", "A: bell\u{7}", "A: delete\u{7F}",
            "A: carriage\rreturn", "HTTP/1.1 20", "HTTP/1.1 2000 OK", "HTTP/1.1 abc", "HTTP/1.1 099 X", "HTTP/1.1",
            " continued nothing", "A\"B: quote",
        ])
    func refused(_ line: String) {
        let error = #expect(throws: AsyncNetError.self) { try parse([Array((line + "\r\n").utf8)]) }
        #expect(error?.code == .badServerResponse)
        #expect(error?.message.contains("nul") == false, "values are not repeated")
    }

    @Test("The limit on a head's size counts interim responses too")
    func limit() throws {
        let line = Array("A: 34567\r\n".utf8)
        #expect(throws: Never.self) { try parse(Array(repeating: line, count: 10), limit: 100) }
        #expect(
            AsyncNetError.code { _ = try parse(Array(repeating: line, count: 11), limit: 100) } == .badServerResponse)
        let second = AsyncNetError.code {
            _ = try parse([Array("HTTP/1.1 103 E\r\n".utf8)] + Array(repeating: line, count: 9), limit: 100)
        }
        #expect(second == .badServerResponse)
    }
}
