@testable import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

@Suite("What a closed connection leaves behind", .timeLimit(.minutes(1)))
struct LeftBehindTests {
    @Test("A whole response is one, a part of one is none", arguments: [
        ("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno", "413 no"), ("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno more", "413 no"),
        ("HTTP/1.1 413\r\n\r\nno", nil), ("HTTP/1.1 304\r\n\r\n", "304 "), ("HTTP/1.1 204\r\n\r\nno", "204 "), ("HTTP/1.1 413\r\nContent-Length: 0\r\n\r\n", "413 "), ("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nno", nil),
        ("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n", nil), ("HTTP/1.1 41", nil), ("", nil), ("HTTP/1.1 abc\r\n\r\n", nil),
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 401 No\r\nContent-Length: 2\r\n\r\nno", "401 no"), ("HTTP/1.1 100 Continue\r\n\r\n", nil),
        ("HTTP/1.1 413 X\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n3;x=y\r\nway\r\n0\r\n\r\n", "413 noway"),
        ("HTTP/1.1 413 X\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n", nil), ("HTTP/1.1 413 X\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\nno\r\n", nil),
        ("HTTP/1.1 413 X\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\nno\r\n", nil), ("HTTP/1.1 413 X\r\nTransfer-Encoding: chunked\r\n\r\n-2\r\nno\r\n", nil),
        ("HTTP/1.1 413 X\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", nil), ("HTTP/1.1 413 X\r\nContent-Encoding: gzip\r\n\r\nno", nil),
    ])
    func responses(_ text: String, _ expected: String?) throws {
        let url = try "http://a/".asURL()
        // In the middle of other data too, whose indices do not start at 0.
        for bytes in [Data(text.utf8), Data("xx\(text)".utf8).dropFirst(2)] {
            let response = LeftBehind.response(in: bytes, to: url, limit: 1000)
            #expect(response.map { "\($0.head.statusCode) \(String(decoding: $0.body, as: UTF8.self))" } == expected)
        }
        #expect(LeftBehind.response(in: Data(text.utf8), to: url, limit: 5) == nil)
    }

    /// One in fifteen was lost.
    @Test("An answer before a reset is not lost, a hundred times")
    func resets() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("a", Data(count: 8_000_000))
        let session = Session(transport: .libcurl())
        for _ in 0..<100 {
            try await withServer(.status(413, body: "enough").with(.earlyResponse)) { (server: MockServer) async throws in
                let response = await session.upload(.file(file), to: server.url()).serializing(String.self).response
                #expect(response.value == "enough", "\(response)")
            }
        }
    }

    @Test("What waits in a socket is taken when it is closed, if it is a response", arguments: ["HTTP/1.1 413 X\r\n\r\n", "nonsense", ""])
    func sockets(_ text: String) async throws {
        let (descriptor, port) = try SilentListener().connection(sending: text)
        var leftBehind = LeftBehind()
        let name = "127.0.0.1 \(port)"
        leftBehind.close(descriptor)
        #expect(leftBehind.take(at: name) == (text.hasPrefix("HTTP/") ? Data(text.utf8) : nil))
        #expect(leftBehind.take(at: name) == nil)
    }
}
