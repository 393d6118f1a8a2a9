import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetTestSupport

@Suite("SentBody")
struct SentBodyTests {
    private func stream(_ length: Int64?) -> RequestBody { .stream(chunks("ab"), length: length) }

    @Test("An empty body, or a body in memory, is recorded before it is sent, truncated at the limit")
    func known() {
        for (body, expected, isTruncated) in [
            (RequestBody.none, "", false), (.data(Data("ab".utf8)), "ab", false),
            (.data(Data("abcd".utf8)), "abc", true),
        ] {
            let recorded = SentBody(body, limit: 3).recorded
            #expect(recorded.0 == Data(expected.utf8) && recorded.isTruncated == isTruncated)
        }
    }

    @Test("A stream that was not sent to its end is recorded as truncated without bytes")
    func unfinished() {
        for length in [nil, 4] as [Int64?] {
            var body = SentBody(stream(length), limit: 9)
            let reading = body.begin()
            body.append(Data("ab".utf8), reading)
            #expect(body.count(2, reading) == 2)
            #expect(body.recorded == (Data(), true))
            body.end(reading)
            #expect(body.recorded == (Data("ab".utf8), false))
        }
    }

    @Test("A stream of known length is complete when its last byte was sent")
    func length() {
        var body = SentBody(stream(2), limit: 9)
        let reading = body.begin()
        body.append(Data("ab".utf8), reading)
        #expect(body.count(2, reading) == 2)
        #expect(body.recorded == (Data("ab".utf8), false))
    }

    @Test("Only the latest reading of a body is recorded, even if an earlier one continues")
    func again() {
        var body = SentBody(stream(nil), limit: 9)
        let first = body.begin()
        body.append(Data("ab".utf8), first)
        let second = body.begin()
        body.append(Data("x".utf8), first)
        body.append(Data("cd".utf8), second)
        #expect(body.count(1, first) == 0)
        body.end(first)
        #expect(body.recorded.isTruncated)
        body.end(second)
        #expect(body.recorded.0 == Data("cd".utf8))
    }

    @Test("The record of a stream is truncated at the limit")
    func limit() {
        var body = SentBody(stream(nil), limit: 3)
        let reading = body.begin()
        #expect(body.count(2, reading) == 2)
        body.append(Data("ab".utf8), reading)
        #expect(body.count(2, reading) == 1)
        body.append(Data("c".utf8), reading)
        body.end(reading)
        #expect(body.recorded == (Data("abc".utf8), true))
    }
}
