import Foundation
import Testing

@testable import AsyncNet

/// Responses as bytes, cut at each place.
@Suite("HTTP/1.1 response reader")
struct HTTP1ResponseReaderTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var bytes: String
        var method = HTTPMethod.get
        var statuses: [Int]
        var body = ""
        /// What follows the response.
        var rest = ""
        /// Whether the response ends with the connection.
        var endsWithConnection = false

        var testDescription: String { bytes.debugDescription }
    }

    static let cases: [Case] = [
        Case(bytes: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", statuses: [200], body: "hello"),
        Case(bytes: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", statuses: [200]),
        Case(bytes: "HTTP/1.1 204 No\r\n\r\n", statuses: [204]),
        Case(bytes: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", method: .head, statuses: [200]),
        Case(bytes: "HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", statuses: [200], body: "hi"),
        Case(bytes: "HTTP/1.1 403 No\r\n\r\nhello", statuses: [403], body: "hello", endsWithConnection: true),
        Case(
            bytes: "HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na",
            statuses: [103, 200], body: "a"),
        Case(
            bytes: "HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\n\r\n\u{1}\u{2}x", statuses: [101],
            rest: "\u{1}\u{2}x"),
        Case(
            bytes:
                "HTTP/1.1 400 No\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\nA\r\n0123456789\r\n0\r\n\r\n",
            statuses: [400], body: "hello0123456789"),
        Case(
            bytes: "HTTP/1.1 400 No\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n1\r\na\r\n0\r\nX: y\r\n\r\n",
            statuses: [400], body: "a"),
        Case(
            bytes: "HTTP/1.1 400 No\r\nTransfer-Encoding: xchunked\r\n\r\n1\r\na", statuses: [400], body: "1\r\na",
            endsWithConnection: true),
    ]

    struct Read: Equatable {
        var statuses: [Int] = []
        var body = Data()
        var rest = Data()
        var isComplete = false
    }

    /// Reads pieces; the last of them is the last of the connection.
    static func read(_ pieces: [Data], _ method: HTTPMethod = .get, ends: Bool = true) throws -> Read {
        let request = HTTPRequestHead(method: method, url: try "http://a/".asURL(), headers: [:])
        var reader = HTTP1ResponseReader(request)
        var result = Read()
        for piece in pieces {
            reader.receive(piece)
            while (result.statuses.last ?? 0) < 200, result.statuses.last != 101, let head = try reader.head() {
                result.statuses.append(head.statusCode)
            }
            guard (result.statuses.last ?? 0) >= 200 else { continue }
            while let bytes = try reader.body() { result.body += bytes }
        }
        if ends, !reader.isComplete { try reader.endOfInput() }
        (result.rest, result.isComplete) = (reader.rest, reader.isComplete)
        return result
    }

    @Test("Each response is the same, cut anywhere and byte by byte", arguments: cases)
    func whole(_ test: Case) throws {
        let bytes = Data(test.bytes.utf8)
        let expected = Read(
            statuses: test.statuses, body: Data(test.body.utf8), rest: Data(test.rest.utf8), isComplete: true)
        for cut in 0...bytes.count {
            let pieces = [Data(bytes.prefix(cut)), Data(bytes.dropFirst(cut))]
            #expect(try Self.read(pieces, test.method) == expected)
        }
        #expect(try Self.read(bytes.map { Data([$0]) }, test.method) == expected)
        let open = try Self.read([bytes], test.method, ends: false)
        #expect(open.isComplete != test.endsWithConnection)
    }

    @Test("A connection that ends in the body ends it early", arguments: [cases[0], cases[8], cases[9]])
    func early(_ test: Case) throws {
        let bytes = Data(test.bytes.utf8)
        let head = try #require(bytes.range(of: Data("\r\n\r\n".utf8)))
        for cut in head.upperBound..<bytes.count {
            let error = #expect(throws: AsyncNetError.self) { try Self.read([Data(bytes.prefix(cut))]) }
            #expect(error?.code == .bodyEndedEarly)
        }
    }

    @Test(
        "What is no response is refused",
        arguments: [
            "SSH-2.0-OpenSSH\r\n\r\n", "\r\n\r\n", "X: y\r\n\r\n",
            "HTTP/1.1 400 No\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
            "HTTP/1.1 400 No\r\nTransfer-Encoding: chunked\r\n\r\n0x10\r\n",
            "HTTP/1.1 400 No\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + String(repeating: "X: y\r\n", count: 12_000),
            "HTTP/1.1 400 No\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
            "HTTP/1.1 400 No\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\n",
            "HTTP/1.1 400 No\r\nTransfer-Encoding: chunked\r\n\r\n7FFFFFFFFFFFFFFF\r\n",
            "HTTP/1.1 400 No\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
            "HTTP/1.1 400 No\r\nTransfer-Encoding: chunked\r\n\r\n" + String(repeating: "0", count: 9000),
            "HTTP/1.1 400 No\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + String(repeating: "x", count: 9000),
            "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 70_000),
            "HTTP/1.1 200 OK\r\n" + String(repeating: "X: y\r\n", count: 50_000),
        ])
    func refused(_ text: String) {
        let error = #expect(throws: AsyncNetError.self) { try Self.read([Data(text.utf8)]) }
        #expect(error?.code == .badServerResponse)
    }
}
