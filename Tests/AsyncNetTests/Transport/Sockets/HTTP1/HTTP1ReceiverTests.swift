import Foundation
import Testing

@testable import AsyncNet

/// Where a response ends and what is refused (RFC 9112): each reply as a whole, byte by byte, and cut at its end.
@Suite("HTTP/1.1 responses from bytes")
struct HTTP1ReceiverTests {
    /// What a receiver has found in a reply, in words.
    private struct Reading {
        var events: [String] = []
        var body = ""
        var left = ""
        var error: AsyncNetError?
        var isReusable = false
    }

    private static let url = URL(fileURLWithPath: "/")

    /// Gives the reply in pieces of a size, with what was not taken in front of the next piece, then the connection's end.
    private func read(
        _ reply: String, by method: HTTPMethod = .get, pieces: Int = .max, _ limits: HTTP1Limits = HTTP1Limits()
    ) -> Reading {
        var (receiver, reading) = (HTTP1Receiver(Self.url, method, limits), Reading())
        var (rest, bytes) = ([UInt8](), Array(reply.utf8)[...])
        do throws(AsyncNetError) {
            while !bytes.isEmpty, !receiver.isComplete {
                rest += bytes.prefix(pieces)
                bytes = bytes.dropFirst(pieces)
                var position = 0
                try rest.withBytes { input throws(AsyncNetError) in
                    while let event = try receiver.next(in: input, &position) { note(event, input, &reading) }
                }
                rest.removeFirst(position)
            }
            if !receiver.isComplete { try receiver.receiveEnd() }
            reading.isReusable = receiver.allowsReuse
        } catch {
            reading.error = error
        }
        reading.left = String(decoding: rest + bytes, as: UTF8.self)
        return reading
    }

    @Test(
        "Bytes that begin no status line are refused before their line ends", arguments: ["SSH-2.0-x", "<", "HTTQ"])
    func otherProtocol(_ text: String) {
        #expect(read(text).error?.code == .badServerResponse)
    }

    private func note(_ event: HTTP1Receiver.Event, _ input: UnsafeRawBufferPointer, _ reading: inout Reading) {
        switch event {
        case .informational(let head), .head(let head): reading.events.append("\(head.statusCode)")
        case .body(let range): reading.body += String(decoding: input[range], as: UTF8.self)
        case .trailers(let trailers): reading.events.append(trailers.map(\.name).joined(separator: ","))
        case .complete: reading.events.append("complete")
        }
    }

    private static let ok = "HTTP/1.1 200 OK\r\n"

    struct Whole: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let reply: String
        var method = HTTPMethod.get
        var body = "hello"
        var events = ["200", "complete"]
        var left = ""
        var isReusable = true
    }

    private static let wholes = [
        Whole(testDescription: "a Content-Length", reply: ok + "Content-Length: 5\r\n\r\nhello"),
        Whole(testDescription: "the same Content-Length twice", reply: ok + "Content-Length: 5, 5\r\n\r\nhello"),
        Whole(testDescription: "a Content-Length with leading zeros", reply: ok + "Content-Length: 005\r\n\r\nhello"),
        Whole(
            testDescription: "bytes after the end of the body", reply: ok + "Content-Length: 5\r\n\r\nhelloHTTP/1.1",
            left: "HTTP/1.1"),
        Whole(
            testDescription: "no body after 204", reply: "HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\nhello", body: "",
            events: ["204", "complete"], left: "hello"),
        Whole(
            testDescription: "no body after 304", reply: "HTTP/1.1 304 No\r\nContent-Length: 5\r\n\r\n", body: "",
            events: ["304", "complete"]),
        Whole(testDescription: "no body after HEAD", reply: ok + "Content-Length: 5\r\n\r\n", method: .head, body: ""),
        Whole(
            testDescription: "chunks", reply: ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"),
        Whole(
            testDescription: "chunks with extensions and upper case",
            reply: ok + "Transfer-Encoding: Chunked\r\n\r\n0005 ;a=\"b\"\r\nhello\r\n0;x\r\n\r\n"),
        Whole(
            testDescription: "trailers",
            reply: ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nA: 1\r\nB: 2\r\n\r\n",
            events: ["200", "A,B", "complete"]),
        Whole(
            testDescription: "a 1xx response before the final one",
            reply: "HTTP/1.1 100 \r\n\r\nHTTP/1.1 103 E\r\nLink: </a>\r\n\r\n" + ok
                + "Content-Length: 5\r\n\r\nhello", events: ["100", "103", "200", "complete"]),
        Whole(
            testDescription: "Connection: close", reply: ok + "Connection: x, Close\r\nContent-Length: 5\r\n\r\nhello",
            isReusable: false),
        Whole(
            testDescription: "HTTP/1.0", reply: "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", isReusable: false),
        Whole(
            testDescription: "HTTP/1.0 with Connection: keep-alive",
            reply: "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 5\r\n\r\nhello"),
        Whole(testDescription: "line feeds alone in the head", reply: "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello"),
        Whole(
            testDescription: "a body until the connection's end", reply: ok + "\r\nhello", events: ["200"],
            isReusable: false),
    ]

    @Test(
        "A response gives the same result in one piece, byte by byte, and in pieces of seven bytes", arguments: wholes,
        [Int.max, 1, 7])
    func whole(_ whole: Whole, _ pieces: Int) {
        let reading = read(whole.reply, by: whole.method, pieces: pieces)
        #expect(reading.error == nil)
        #expect(reading.body == whole.body)
        #expect(reading.events == whole.events)
        #expect(reading.left == whole.left)
        #expect(reading.isReusable == whole.isReusable)
    }

    @Test(
        "A response without its last byte throws .bodyEndedEarly or .connectionLost",
        arguments: wholes.filter { $0.isReusable && $0.left.isEmpty })
    func cut(_ whole: Whole) {
        let code = read(String(whole.reply.dropLast())).error?.code
        #expect(code == .bodyEndedEarly || code == .connectionLost)
    }

    @Test("A connection that ends before any byte throws .emptyReply")
    func empty() { #expect(read("").error?.code == .emptyReply) }

    @Test(
        "A head or chunk that other readers could frame differently is refused",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0x5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n 5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
            "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "HTTP/2.0 200 OK\r\n\r\n",
            "HTTP/1.1200 OK\r\n\r\n",
            "HTTP/1.1 20 OK\r\n\r\n", "ICY 200 OK\r\n\r\n", "hello\r\n", "HTTP/1.1 200 OK\r\nHTTP/1.1 404 No\r\n\r\n",
            "HTTP/1.1 200 OK\r\nA\u{0}: b\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n",
            chunked("\r\nhello\r\n0\r\n\r\n"), chunked("-5\r\nhello\r\n0\r\n\r\n"), chunked("5\nhello\r\n0\r\n\r\n"),
            chunked("5\r\nhelloX\r\n0\r\n\r\n"), chunked("5\r\nhello\n0\r\n\r\n"), chunked("5 a\r\nhello\r\n0\r\n\r\n"),
            chunked("5;a\rb\r\nhello\r\n0\r\n\r\n"), chunked("10000000000000000\r\n"), chunked("8000000000000000\r\n"),
            chunked("0\r\nContent-Length: 5\r\n\r\n"), chunked("0\r\nHTTP/1.1 200 OK\r\n\r\n"),
            chunked("0\r\nnothing\r\n\r\n"),
        ], [Int.max, 1])
    func refused(_ reply: String, _ pieces: Int) {
        #expect(read(reply, pieces: pieces).error?.code == .badServerResponse)
    }

    private static func chunked(_ body: String) -> String { ok + "Transfer-Encoding: chunked\r\n\r\n" + body }

    private static let small = HTTP1Limits(
        headBytes: 200, headerLines: 3, informationalResponses: 2, chunkExtensionBytes: 20, trailerBytes: 50)

    @Test(
        "A head or chunk above a limit throws .badServerResponse, also if its line never ends",
        arguments: [
            ok + "A: " + String(repeating: "a", count: 300), ok + String(repeating: "A: b\r\n", count: 4) + "\r\n",
            String(repeating: "HTTP/1.1 100 C\r\n\r\n", count: 3),
            String(repeating: "HTTP/1.1 103 C\r\nA: bcdefgh\r\n\r\n", count: 9),
            chunked(String(repeating: "1;abcdefgh\r\na\r\n", count: 3)),
            chunked("1;" + String(repeating: "a", count: 100)),
            chunked("0\r\nA: " + String(repeating: "a", count: 100)),
            chunked("0\r\n" + String(repeating: "A: b\r\n", count: 4)),
        ], [Int.max, 1])
    func limited(_ reply: String, _ pieces: Int) {
        #expect(read(reply, pieces: pieces, Self.small).error?.code == .badServerResponse)
    }

    @Test("Bytes that didReceive() reports count towards the response's Content-Length")
    func direct() throws {
        var receiver = HTTP1Receiver(Self.url, .get)
        var position = 0
        try Array((Self.ok + "Content-Length: 5\r\n\r\nhe").utf8).withBytes { input throws(AsyncNetError) in
            while try receiver.next(in: input, &position) != nil {}
        }
        #expect(receiver.bytesLeft == 3)
        receiver.didReceive(2)
        #expect(receiver.bytesLeft == 1)
        receiver.didReceive(1)
        var end = 0
        guard case .complete = try receiver.next(in: UnsafeRawBufferPointer(start: nil, count: 0), &end) else {
            Issue.record("The response is not complete")
            return
        }
        #expect(receiver.allowsReuse)
    }
}
