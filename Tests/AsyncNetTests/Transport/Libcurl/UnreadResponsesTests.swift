import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("Unread responses of closed connections", .timeLimit(.minutes(5)))
struct UnreadResponsesTests {
    @Test(
        "A complete response is found, an incomplete response is not",
        arguments: [
            ("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno", "413 no"),
            ("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno more", "413 no"),
            ("HTTP/1.1 413\r\n\r\nno", nil), ("HTTP/1.1 304\r\n\r\n", "304 "), ("HTTP/1.1 204\r\n\r\nno", "204 "),
            ("HTTP/1.1 413\r\nContent-Length: 0\r\n\r\n", "413 "),
            ("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nno", nil),
            ("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n", nil), ("HTTP/1.1 41", nil), ("", nil),
            ("HTTP/1.1 abc\r\n\r\n", nil),
            ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 401 No\r\nContent-Length: 2\r\n\r\nno", "401 no"),
            ("HTTP/1.1 100 Continue\r\n\r\n", nil),
            ("HTTP/1.1 413 X\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n3;x=y\r\nway\r\n0\r\n\r\n", "413 noway"),
            ("HTTP/1.1 413 X\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n", nil),
            ("HTTP/1.1 413 X\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\nno\r\n", nil),
            ("HTTP/1.1 413 X\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\nno\r\n", nil),
            ("HTTP/1.1 413 X\r\nTransfer-Encoding: chunked\r\n\r\n-2\r\nno\r\n", nil),
            ("HTTP/1.1 413 X\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", nil),
            ("HTTP/1.1 413 X\r\nContent-Encoding: gzip\r\n\r\nno", nil),
        ])
    func responses(_ text: String, _ expected: String?) throws {
        let url = try "http://a/".asURL()
        // In the middle of other data too, whose indices do not start at 0.
        for bytes in [Data(text.utf8), Data("xx\(text)".utf8).dropFirst(2)] {
            let response = UnreadResponses.response(in: bytes, to: url, limit: 1000)
            #expect(response.map { "\($0.head.statusCode) \(String(decoding: $0.body, as: UTF8.self))" } == expected)
        }
        #expect(UnreadResponses.response(in: Data(text.utf8), to: url, limit: 5) == nil)
    }

    @Test(
        "A response is complete at its length, or if it has no body",
        arguments: [
            (200, ["Content-Length": "6"], 6, true), (200, ["Content-Length": "6"], 5, false),
            (200, ["Content-Length": "0"], 0, true), (200, [:], 0, false),
            (204, [:], 0, true), (304, ["Content-Length": "6"], 0, true),
            (200, ["Content-Length": "6", "Transfer-Encoding": "chunked"], 6, false),
        ] as [(Int, HTTPHeaders, Int64, Bool)])
    func completeness(_ status: Int, _ headers: HTTPHeaders, _ bytes: Int64, _ expected: Bool) throws {
        let head = HTTPResponseHead(
            statusCode: status, url: try "http://a/".asURL(), headers: headers, httpVersion: "HTTP/1.1")
        #expect(head.isComplete(afterBytes: bytes) == expected)
    }

    /// A server that answers and closes ends an upload whose body is waited for, with what it said.
    @Test("An upload that waits for its producer gets an early response", arguments: [true, false])
    func waiting(_ isWhole: Bool) async throws {
        let reply: MockResponse =
            isWhole
            ? .status(200, body: "enough")
            : MockResponse(200, headers: ["Content-Length": "9"], body: Data("enough".utf8))
        try await withServer(reply.with(.earlyResponse)) { (server: MockServer) async throws in
            let (stream, input) = AsyncStream.makeStream(of: Data.self)
            input.yield(Data(count: 10))
            let response = await Session(transport: .libcurl()).upload(.stream(stream), to: server.url()).serializing(
                String.self
            ).response
            #expect(response.statusCode == 200)
            #expect(response.value == (isWhole ? "enough" : nil), "\(response.result)")
            // libcurl 8 reads the end of the body while the rest of the request is paused, libcurl 7 does not.
            if !isWhole { #expect([.connectionLost, .bodyEndedEarly].contains(response.result.failure?.code)) }
            input.finish()
        }
    }

    /// One in fifteen was lost.
    @Test("A response before a reset is not lost, a hundred times", arguments: [413, 200])
    func resets(_ status: Int) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("a", Data(count: 8_000_000))
        let session = Session(transport: .libcurl())
        for _ in 0..<100 {
            try await withServer(.status(status, body: "enough").with(.earlyResponse)) {
                (server: MockServer) async throws in
                let response = await session.upload(.file(file), to: server.url()).serializing(String.self).response
                #expect(response.value == "enough", "\(response)")
            }
        }
    }

    @Test(
        "Unread bytes of a closed socket are delivered if they are a response",
        arguments: ["HTTP/1.1 413 X\r\n\r\n", "nonsense", ""])
    func sockets(_ text: String) async throws {
        let (descriptor, port) = try SilentListener().connection(sending: text)
        var unread = UnreadResponses()
        let name = "127.0.0.1 \(port)"
        unread.close(descriptor)
        #expect(unread.take(at: name) == (text.hasPrefix("HTTP/") ? Data(text.utf8) : nil))
        #expect(unread.take(at: name) == nil)
    }
}
