import Foundation
import Testing

@testable import AsyncNet

@Suite("JSON sequence parser", .timeLimit(.minutes(5)))
struct JSONSequenceParserTests {
    /// A JSON text unchanged, or an exclamation mark and the code of an error.
    static func shown(_ item: JSONSequenceParser.Element) -> String {
        switch item {
        case .success(let data): String(decoding: data, as: UTF8.self)
        case .failure(let error): "!\(error.code)"
        }
    }

    private func items(_ text: String, type: String? = nil, limit: Int = 100) -> StreamOutcome<String> {
        outcomeOfAnySplit(
            of: JSONSequenceParser(mediaType: type.flatMap { MediaType($0) }, limit: limit), Array(text.utf8),
            Self.shown)
    }

    @Test(
        "JSON lines are parsed as one text per line, without blank lines and surrounding space",
        arguments: [
            ("", []), ("{}", ["{}"]), ("{}\n", ["{}"]), ("{\"a\":1}\n{\"a\":2}\n", ["{\"a\":1}", "{\"a\":2}"]),
            ("1\r\n2\r\n", ["1", "2"]),
            ("\n\n1\n \t\n\r\n2", ["1", "2"]), ("  1 \t\n", ["1"]), ("\u{FEFF}1\n2", ["1", "2"]),
            ("\"é\u{2028}\"\n", ["\"é\u{2028}\""]),
            ("{\"a\":\r1}\n", ["{\"a\":\r1}"]), ("nonsense\n1", ["nonsense", "1"]), ("1\n\u{1E}2\n", ["1", "\u{1E}2"]),
            (" \r\n", []),
        ] as [(String, [String])])
    func lines(_ text: String, _ expected: [String]) {
        #expect(items(text) == StreamOutcome(elements: expected))
    }

    @Test(
        "JSON text sequences are parsed with a record separator before each text (RFC 7464)",
        arguments: [
            ("\u{1E}{}\n", ["{}"]), ("\u{1E}{\"a\":1}\n\u{1E}[2]\n", ["{\"a\":1}", "[2]"]),
            ("\u{1E}{\n \"a\": [\n1\n]\n}\n\u{1E}2\n", ["{\n \"a\": [\n1\n]\n}", "2"]),
            ("\u{1E}\u{1E}\u{1E}1\n", ["1"]), ("\u{1E}\n\u{1E} \n", []),
            ("\u{1E}\"foo\"\u{1E}{}\u{1E}[]", ["\"foo\"", "{}", "[]"]),
            ("\u{1E}\"}]\\\"\n\\\\\"\n\u{1E}1 ", ["\"}]\\\"\n\\\\\"", "1"]), ("\u{1E}\n\n 1\r\n", ["1"]),
            ("\u{1E}", []), ("\u{1E}tru e\n", ["tru e"]),
        ] as [(String, [String])])
    func texts(_ text: String, _ expected: [String]) {
        #expect(items(text) == StreamOutcome(elements: expected))
    }

    @Test(
        "A text that may be truncated is an error, and the next text is parsed (RFC 7464 §2.3, §2.4)",
        arguments: [
            ("\u{1E}123\u{1E}4\n", ["!decodingFailed", "4"]),
            ("\u{1E}true\u{1E}false\n", ["!decodingFailed", "false"]),
            ("\u{1E}null", ["!decodingFailed"]),
            ("\u{1E}{\"a\":1\u{1E}{}\n", ["!decodingFailed", "{}"]), ("\u{1E}[1,\n2\n", ["!decodingFailed"]),
            ("\u{1E}\"ab\n\u{1E}1\n", ["!decodingFailed", "1"]),
            ("\u{1E}\"a\\\"\u{1E}1\n", ["!decodingFailed", "1"]), ("\u{1E}1 \u{1E}2\t\u{1E}3\r", ["1", "2", "3"]),
            ("\u{1E}1 2\u{1E}3\n", ["!decodingFailed", "3"]),
            ("\u{1E}truefalse\u{1E}1\n", ["!decodingFailed", "1"]),
            ("\u{1E}1\n2\n3\n\u{1E}4\n", ["1", "!decodingFailed", "4"]),
            ("\u{1E}}}{\n\u{1E}1\n", ["!decodingFailed", "1"]),
        ] as [(String, [String])])
    func cutOff(_ text: String, _ expected: [String]) {
        #expect(items(text) == StreamOutcome(elements: expected))
    }

    @Test(
        "The media type application/json-seq or +json-seq selects text sequences before the first byte does",
        arguments: [
            ("application/json-seq", "1\n\u{1E}2\n", ["!decodingFailed", "2"]),
            ("application/geo+json-seq", "\n\u{1E}2\n", ["2"]),
            ("application/x-ndjson", "1\n2\n", ["1", "2"]),
            ("application/x-ndjson", "\u{1E}1\n\u{1E}2", ["1", "!decodingFailed"]),
            ("application/json", "1\n", ["1"]),
        ])
    func mediaType(_ type: String, _ text: String, _ expected: [String]) {
        #expect(items(text, type: type) == StreamOutcome(elements: expected))
    }

    @Test("A text is returned at the line feed that ends it, before the next separator")
    func prompt() throws {
        var parser = JSONSequenceParser()
        #expect(try parser.receive(Data("\u{1E}{\n}".utf8)).isEmpty)
        #expect(try parser.receive(Data("\n".utf8)).map(Self.shown) == ["{\n}"])
        #expect(try parser.receive(Data("\u{1E}1".utf8)).isEmpty)
        #expect(try parser.receive(Data("\n".utf8)).map(Self.shown) == ["1"])
        #expect(try parser.finish().isEmpty)
    }

    @Test(
        "A text longer than the limit is an error after the texts before it",
        arguments: [
            ("12345\n123456\n", ["12345"]), ("\u{1E}12345\n\u{1E}123456\n\u{1E}1\n", ["12345"]),
            ("\u{1E}   12345\n\u{1E}[1,\n  \n", ["12345"]),
        ])
    func limit(_ text: String, _ expected: [String]) {
        #expect(items(text, limit: 5) == StreamOutcome(elements: expected, code: .lineTooLong))
    }

    @Test("Parsing a mebibyte in single bytes takes linear time")
    func linear() {
        let text = [0x1E, 0x22] + [UInt8](repeating: 0x61, count: StreamLimit.line - 2) + [0x22, 0x0A]
        let found = outcome(of: JSONSequenceParser(), pieces(of: text, every: 1)) { (try? $0.get())?.count }
        #expect(found == StreamOutcome(elements: [StreamLimit.line]))
    }
}
