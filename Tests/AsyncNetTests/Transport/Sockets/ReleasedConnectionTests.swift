import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("Released connections", .timeLimit(.minutes(5)))
struct ReleasedConnectionTests {
    /// Responds on the first connection once the request's body has ended, with an end that arrives together with the
    /// body's last bytes; and with "right" on the next one.
    private static func server(_ end: String) throws -> RawServer {
        try RawServer(
            """
            if not hasattr(serve, "first"):
                serve.first = c
                data = b""
                while b"0\\r\\n\\r\\n" not in data: data += c.recv(65536)
                body = b"a" * 200_000
                c.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 200000\\r\\n\\r\\n" + body[1000:])
                \(end)
            else: c.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 5\\r\\n\\r\\nright")
            while True: c.recv(65536)
            """)
    }

    @Test(
        "A waiting request does not get a connection that the server has closed, or that has unexpected bytes",
        arguments: [
            "c.send(body[:1000], socket.MSG_MORE); c.shutdown(socket.SHUT_WR); return",
            "c.sendall(body[:1000] + b'HTTP/1.1 200 OK\\r\\nContent-Length: 5\\r\\n\\r\\nwrong'); return",
        ])
    func ended(_ end: String) async throws {
        let server = try Self.server(end)
        let (url, transport) = (try server.url, SocketTransport(.init(maximumConnectionsPerOrigin: 1)))
        let (chunks, more) = AsyncStream.makeStream(of: Data.self)
        let head = HTTPRequestHead(method: .post, url: url, headers: [:])
        let isSent = Gate()
        let first = Task {
            var request = TransportRequest(head: head, body: .stream(chunks)) { event in
                if case .sentBody = event { isSent.open() }
            }
            request.delivery = .whole
            return try await transport.send(request).body.reduce(into: 0) { $0 += $1.count }
        }
        more.yield(Data("a".utf8))
        await isSent.wait()
        let isQueued = Gate()
        let second = Task {
            let request = TransportRequest(head: head, body: .data(Data("b".utf8))) { event in
                if case .queued = event { isQueued.open() }
            }
            return try await transport.send(request).body.reduce(into: Data()) { $0 += $1 }
        }
        await isQueued.wait()
        more.finish()
        #expect(try await first.value == 200_000)
        #expect(String(decoding: try await second.value, as: UTF8.self) == "right")
    }
}
