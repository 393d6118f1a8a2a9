import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetTestSupport

@Suite("Chunks and delays as written to a recording")
struct WrittenTimesTests {
    private func pieces(
        _ texts: [(String, Double)], _ headers: HTTPHeaders = [:], step: Duration = .seconds(1),
        _ change: (Data) -> Data = { $0 }
    ) -> [String] {
        let chunks = texts.map { RecordedExchange.Chunk(Data($0.utf8), delay: .seconds($1)) }
        let response = RecordedExchange.Response(200, headers: headers, chunks: chunks)
        return WrittenTimes(step: step).written(response, change).map { chunk in
            "\(String(decoding: chunk.data, as: UTF8.self))+\(chunk.delay / .seconds(1))"
        }
    }

    @Test("The time of a chunk since the head is rounded to the time step, so that rounding errors do not add up")
    func rounding() {
        #expect(pieces([("a", 0.4), ("b", 0.4), ("c", 0.4)]) == ["a+0.0", "b+1.0", "c+0.0"])
        #expect(pieces([("a", 2.6)], step: .zero) == ["a+0.0"])
        #expect(pieces([("a", 0.26)], step: .milliseconds(100)) == ["a+0.3"])
    }

    @Test("Chunks of a body with Content-Length are joined unless time passed between them")
    func known() {
        let length: HTTPHeaders = ["Content-Length": "3"]
        #expect(pieces([("a", 0), ("b", 0.1), ("c", 1)], length) == ["ab+0.0", "c+1.0"])
        let long = String(repeating: "a", count: 40_000)
        #expect(pieces([(long, 0), (long, 0)]).count == 1, "Networks cut a long body at random places")
    }

    @Test("Each event or line is a chunk with the time of its last byte")
    func records() {
        let texts = [("data: 1\n\nda", 0.0), ("ta: 2\r\n\r\nid: 3\ndata: 3\n\n", 2.0), ("x", 0.0)]
        #expect(
            pieces(texts, ["Content-Type": "text/event-stream"])
                == ["data: 1\n\n+0.0", "data: 2\r\n\r\n+2.0", "id: 3\ndata: 3\n\n+0.0", "x+0.0"])
        #expect(
            pieces([("1\n2", 0), ("\n3\n", 1)], ["Content-Type": "application/x-ndjson"]) == [
                "1\n+0.0", "2\n+1.0", "3\n+0.0",
            ])
    }

    @Test("A secret split by two chunks is redacted, and the chunks keep their places")
    func split() {
        let rule = RedactionRule.standard
        func change(_ data: Data) -> Data { rule.body(data, contentType: "application/json") }
        let texts = [(#"{"token":"ab"#, 0.0), (#"cdefghijklm","a":1,"#, 1.0), (#""b":2}"#, 1.0)]
        #expect(pieces(texts, [:], change) == [#"{"token":"REDACTED"+0.0"#, #","a":1,+1.0"#, #""b":2}+1.0"#])
        let events = [("data: {\"token\":\"a", 0.0), ("b\"}\n\n", 1.0), ("data: 1\n\n", 1.0)]
        #expect(
            pieces(events, ["Content-Type": "text/event-stream"], change)
                == ["data: {\"token\":\"REDACTED\"}\n\n+1.0", "data: 1\n\n+1.0"])
    }

    @Test("20,000 chunks of a redacted body are joined to one")
    func many() {
        let texts = (0..<20_000).map { _ in ("ab", 0.0) }
        #expect(pieces(texts) { Data($0.map { $0 + 1 }) }.count == 1)
    }
}
