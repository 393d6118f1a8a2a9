import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

/// A test that passes with a stub passes with a server.
@Suite("Bodies of stubs and of servers", .timeLimit(.minutes(5)))
struct ResponseFramingTests {
    @Test(
        "A fault in a body of chunks comes after its number of bytes of the body", arguments: ResponseSender.allCases,
        [
            (.truncate(after: 8), .bodyEndedEarly), (.resetMidBody(after: 8), .connectionLost),
            (.truncate(after: 100), .bodyEndedEarly),
        ] as [(MockResponse.Fault, AsyncNetError.Code)])
    func chunks(_ sender: ResponseSender, _ fault: (MockResponse.Fault, code: AsyncNetError.Code)) async throws {
        try await sender.responding(.chunked(["abcdef", "ghijkl"]).with(fault.0)) {
            (session: Session, url: URL) async throws in
            let (text, code) = await session.stream(url).received()
            #expect(text == (fault.0 == .truncate(after: 100) ? "abcdefghijkl" : "abcdefgh") && code == fault.code)
        }
    }

    @Test(
        "Content-Length is in the head, except for a body of chunks and for 204 and 304",
        arguments: ResponseSender.allCases,
        [
            (.text("abc"), 3), (.json(["a": 1]), 7), (.status(200), 0), (.chunked(["abc"]), nil), (.status(204), nil),
            (.status(304), nil), (.text("abc", headers: ["Content-Length": "3"]), 3),
        ] as [(MockResponse, Int64?)])
    func length(_ sender: ResponseSender, _ reply: (MockResponse, expected: Int64?)) async throws {
        try await sender.responding(reply.0) { (session: Session, url: URL) async throws in
            let head = try #require(await session.request(url).serializing(Data.self).response.head)
            #expect(head.headers.values(for: "Content-Length") == reply.expected.map { ["\($0)"] } ?? [])
        }
    }

    @Test(
        "The head of a response to HEAD has the length of the body that is not sent", arguments: ResponseSender.allCases
    )
    func head(_ sender: ResponseSender) async throws {
        try await sender.responding(.text("abc")) { (session: Session, url: URL) async throws in
            let response = await session.request(url, method: .head).serializing(NoContent.self).response
            #expect(response.head?.contentLength == 3 && response.error == nil)
        }
    }
}
