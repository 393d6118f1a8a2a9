import Foundation
import Testing

@testable import AsyncNet

/// The examples of WHATWG HTML §9.2.6, and a case for each of its sentences.
@Suite("Server-sent event parser", .timeLimit(.minutes(5)))
struct ServerSentEventParserTests {
    private func events(_ text: String, limit: Int = 100) -> StreamOutcome<ServerSentEvent> {
        outcomeOfAnySplit(of: ServerSentEventParser(limit: limit), Array(text.utf8)) { $0 }
    }

    /// A parser that has received the text byte by byte.
    private func parser(after text: String, lastEventID: String? = nil) throws -> ServerSentEventParser {
        var parser = ServerSentEventParser(setID: lastEventID)
        for byte in text.utf8 { _ = try parser.receive(Data([byte])) }
        _ = try parser.finish()
        return parser
    }

    @Test(
        "The data lines of an event are joined by line feeds, as in the standard's examples",
        arguments: [
            ("data: YHOO\ndata: +2\ndata: 10\n\n", ["YHOO\n+2\n10"]),
            (
                ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
                ["first event", "second event", " third event"]
            ),
            ("data\n\ndata\ndata\n\ndata:", ["", "\n"]),
            ("data:test\n\ndata: test\n\n", ["test", "test"]),
            (
                "data: This is the first message.\n\ndata: This is the second message, it\ndata: has two lines.\n\ndata: This is the third message.\n\n",
                [
                    "This is the first message.", "This is the second message, it\nhas two lines.",
                    "This is the third message.",
                ]
            ),
        ] as [(String, [String])])
    func examples(_ text: String, _ expected: [String]) {
        let found = events(text)
        #expect(found.elements.map(\.data) == expected)
        #expect(found.elements.allSatisfy { $0.event == "message" && $0.retry == nil })
        #expect(found.code == nil)
    }

    @Test(
        "Lines of an event end at LF, CRLF or CR in any mix",
        arguments: [
            "data:a\n\ndata:b\n\n", "data:a\r\n\r\ndata:b\r\n\r\n", "data:a\r\rdata:b\r\r", "data:a\r\n\rdata:b\n\r\n",
            "data:a\n\r\ndata:b\r\n\n",
            "data:a\r\r\ndata:b\r\n\r",
            "\r\n\ndata:a\n\r\rdata:b\r\n\n", "\u{FEFF}data:a\n\ndata:b\n\n",
        ])
    func lineEndings(_ text: String) {
        #expect(events(text) == StreamOutcome(elements: ["a", "b"].map { ServerSentEvent(data: $0) }))
    }

    @Test(
        "Each field of an event is parsed as the standard says",
        arguments: [
            ("event: add\ndata: 1\n\n", [ServerSentEvent(event: "add", data: "1")]),
            ("event:add\ndata:1\n\ndata:2\n\n", [.init(event: "add", data: "1"), .init(data: "2")]),
            ("event: add\n\ndata: 1\n\n", [.init(data: "1")]),
            ("event:a\nevent:b\ndata\n\n", [.init(event: "b", data: "")]),
            ("event: a\nevent\ndata:1\n\n", [.init(data: "1")]),
            ("Data: 1\nDATA:2\n\n", []), (" data: 1\n\n", []), ("data : 1\n\n", []), ("other: 1\nother\n\n", []),
            (":data: 1\n\n", []),
            ("data::\n\n", [.init(data: ":")]),
            ("data:  two\n\n", [.init(data: " two")]), ("data: \n\n", [.init(data: "")]),
            ("data:\n\n", [.init(data: "")]),
            ("data\n: comment\ndata:x\n\n", [.init(data: "\nx")]),
            ("data:a\u{FEFF}\n\n", [.init(data: "a\u{FEFF}")]), ("\u{FEFF}\u{FEFF}data:a\n\n", []),
            ("data:\0\n\n", [.init(data: "\0")]),
            ("data: é😀\n\n", [.init(data: "é😀")]),
        ] as [(String, [ServerSentEvent])])
    func fields(_ text: String, _ expected: [ServerSentEvent]) {
        #expect(events(text) == StreamOutcome(elements: expected))
    }

    @Test(
        "An incomplete event at the end of the stream is dropped",
        arguments: ["data: a", "data: a\n", "data: a\r", "data: a\r\n", "data: a\nevent: b\n", "id: 1\ndata: a\n"])
    func incomplete(_ text: String) throws {
        #expect(events(text) == StreamOutcome())
        #expect(try parser(after: text).lastEventID == nil)
    }

    @Test(
        "An id applies until the next id, also if its event has no data; an id with NUL is ignored",
        arguments: [
            ("id: 1\ndata: a\n\ndata: b\n\n", ["1", "1"], "1"),
            ("id: 1\ndata: a\n\nid: 2\n\ndata: b\n\n", ["1", "2"], "2"),
            ("id: 1\ndata: a\n\nid\ndata: b\n\n", ["1", nil], nil),
            ("id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n", ["1", "1"], "1"),
            ("id: 1\ndata: a\n\nid: 2\ndata: b\n", ["1"], "1"), ("id: 1\n\n", [], "1"),
            ("data: a\n\n", [nil], nil),
            ("id:  1 \ndata: a\n\n", [" 1 "], " 1 "), ("id:1\nid:2\ndata\n\n", ["2"], "2"),
        ] as [(String, [String?], String?)])
    func identifiers(_ text: String, _ expected: [String?], _ last: String?) throws {
        #expect(events(text).elements.map(\.id) == expected)
        #expect(try parser(after: text).lastEventID == last)
    }

    @Test("The last event id of the connection before applies until an event has another")
    func reconnected() throws {
        #expect(try parser(after: "", lastEventID: "7").lastEventID == "7")
        #expect(try parser(after: "data: a\n\n", lastEventID: "7").lastEventID == "7")
        #expect(try parser(after: "id:\n\n", lastEventID: "7").lastEventID == nil)
        #expect(try parser(after: "id: 8\n\n", lastEventID: "7").lastEventID == "8")
    }

    @Test(
        "The retry field applies at once and to later events, and must be digits",
        arguments: [
            ("retry: 1000\ndata: a\n\n", .seconds(1)), ("retry: 1000\n\ndata: a\n\n", .seconds(1)),
            ("retry:0\ndata\n\n", .zero),
            ("retry: 10s\ndata\n\n", nil),
            ("retry: -1\ndata\n\n", nil), ("retry\ndata\n\n", nil), ("retry:\ndata\n\n", nil),
            ("retry: 1.5\ndata\n\n", nil),
            ("retry:  5\ndata\n\n", nil), ("retry: ٣\ndata\n\n", nil),
            ("retry: 5\nretry: x\ndata\n\n", .milliseconds(5)),
            ("retry: 99999999999999999999999999\ndata\n\n", .milliseconds(2_147_483_647)),
            ("retry: 0007\ndata\n\n", .milliseconds(7)),
        ] as [(String, Duration?)])
    func retry(_ text: String, _ expected: Duration?) throws {
        #expect(events(text).elements.map(\.retry) == [expected])
        #expect(try parser(after: text).retry == expected)
    }

    @Test(
        "The limit applies to the data of one event and to each line",
        arguments: [
            ("data:1234\ndata:67890\n\ndata:1234567890", 1, .lineTooLong),
            ("data:a\n\ndata:12345\ndata:678901\n\ndata:b\n\n", 1, .lineTooLong),
            ("data:a\n\n:3456789012", 1, nil),
            ("data:a\n\n:34567890123", 1, .lineTooLong),
            ("data\ndata\ndata\ndata\n\n:1\n:2\n:3\n:4\n:5\n:6\n\ndata\n\n", 2, nil),
            (String(repeating: "data\n", count: 12) + "\n", 1, nil),
            (String(repeating: "data\n", count: 13) + "\n", 0, .lineTooLong),
        ] as [(String, Int, AsyncNetError.Code?)])
    func limit(_ text: String, _ count: Int, _ code: AsyncNetError.Code?) {
        let found = events(text, limit: 11)
        #expect(found.elements.count == count)
        #expect(found.code == code)
    }

    @Test("The description of an event has its fields, and not its stream")
    func printed() {
        let event = ServerSentEvent(id: "1", data: "a")
        #expect("\(event)" == #"ServerSentEvent(id: Optional("1"), event: "message", data: "a", retry: nil)"#)
    }

    @Test("An event is returned at the first byte of the line break that ends it")
    func prompt() throws {
        var parser = ServerSentEventParser()
        #expect(try parser.receive(Data("data: a\r\n".utf8)).isEmpty)
        #expect(try parser.receive(Data("\r".utf8)).map(\.data) == ["a"])
        #expect(try parser.receive(Data("\ndata: b\r\r".utf8)).map(\.data) == ["b"])
    }
}
