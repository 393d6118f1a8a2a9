import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

/// What becomes of requests on connections that were kept, when servers close them, or send on them what belongs to no
/// response.
@Suite("Kept connections", .timeLimit(.minutes(5)))
struct KeptConnectionTests {
    private func text(_ session: Session, _ url: URL, _ method: HTTPMethod = .get, body: String? = nil) async throws
        -> String
    {
        let request =
            body.map { session.upload(.data(Data($0.utf8)), to: url, method: method) }
            ?? session.request(url, method: method)
        return try await request.serializing(String.self).value
    }

    @Test(
        "A POST or PATCH whose kept connection is closed ends with .connectionLost, and is not sent again",
        arguments: [(HTTPMethod.post, ""), (.post, "two"), (.patch, ""), (.patch, "two")],
        TransportUnderTest.withoutURLSession)
    func notRepeated(_ request: (method: HTTPMethod, body: String), _ transport: TransportUnderTest) async throws {
        let ((method, body), session) = (request, transport.session())
        try await withServer(.text("first"), .fault(.closeBeforeHead), .text("third")) {
            (server: MockServer) async throws in
            _ = try await text(session, server.url(), method, body: "one")
            let response = await session.upload(.data(Data(body.utf8)), to: server.url(), method: method)
                .serializing(String.self).response
            #expect(response.error?.code == .connectionLost, "\(response)")
            #expect(response.metrics.attempts == 1)
            #expect(try await text(session, server.url()) == "third")
            var seen: [String] = []
            for _ in 0..<3 { seen.append(try await server.takeRequest().text) }
            #expect(seen == ["one", body, ""])
        }
    }

    @Test(
        "A PUT whose kept connection is closed is sent again, and its metrics count two attempts",
        arguments: TransportUnderTest.allCases)
    func repeated(_ transport: TransportUnderTest) async throws {
        let session = transport.session()
        try await withServer(.text("first"), .fault(.closeBeforeHead), .text("second")) {
            (server: MockServer) async throws in
            _ = try await text(session, server.url())
            let request = session.upload(.data(Data("two".utf8)), to: server.url(), method: .put)
            let events = request.events
            let response = await request.serializing(String.self).response
            #expect(response.value == "second")
            #expect(response.metrics.attempts == 2)
            var told: [String] = []
            for await event in events {
                if case .repeated = event { told.append("repeated") }
                if case .sent(let head) = event { told.append(head.requestLine) }
            }
            let line = "PUT / HTTP/1.1"
            #expect(told == (transport == .urlSession ? ["repeated"] : [line, "repeated", line]))
        }
    }

    @Test(
        "A PUT whose second connection is closed too ends with .emptyReply, and is not sent a third time",
        arguments: TransportUnderTest.allCases
    )
    func repeatedOnce(_ transport: TransportUnderTest) async throws {
        let session = transport.session()
        try await withServer(.text("first"), .fault(.closeBeforeHead), .fault(.closeBeforeHead), .text("late")) {
            (server: MockServer) async throws in
            _ = try await text(session, server.url())
            let response = await session.upload(.data(Data("x".utf8)), to: server.url(), method: .put).serializing(
                String.self
            ).response
            #expect(response.error?.code == .emptyReply)
            #expect(response.metrics.attempts == 2)
        }
    }

    @Test(
        "Bytes after the response to a HEAD are not taken for the response to the next request",
        arguments: [HTTPMethod.get, .post], TransportUnderTest.withoutURLSession)
    func strayBytes(_ method: HTTPMethod, _ transport: TransportUnderTest) async throws {
        let session = transport.session()
        let server = try RawServer(
            """
            serve.count = getattr(serve, "count", 0) + 1
            if serve.count > 1: return c.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 4\\r\\n\\r\\ngood")
            evil = b"HTTP/1.1 200 OK\\r\\nContent-Length: 4\\r\\n\\r\\nevil" * 5000
            c.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n%s" % (len(evil), evil))
            """)
        #expect(try await session.request(server.url, method: .head).serializing(Data.self).value.isEmpty)
        let response = try await session.request(server.url, method: method).serializing(String.self).response
        #expect(response.value == "good")
        #expect(response.metrics.attempts == 1)
    }

    /// libcurl 7.83 to 8.0 wrote to freed memory here.
    @Test(
        "A response with a folded first header line leads to .badServerResponse, also after a redirect",
        arguments: TransportUnderTest.allCases)
    func foldedFirstLine(_ transport: TransportUnderTest) async throws {
        let session = transport.session()
        let server = try RawServer(
            """
            while True:
                if b" /x " in head: c.sendall(b"HTTP/1.1 200 OK\\r\\n " + b"A" * 5000 + b": y\\r\\nContent-Length: 2\\r\\n\\r\\nok")
                else: c.sendall(b"HTTP/1.1 302 F\\r\\nLocation: /x\\r\\nContent-Length: 0\\r\\n\\r\\n")
                head = b""
                while b"\\r\\n\\r\\n" not in head: head += c.recv(1)
            """)
        for _ in 0..<20 {
            let response = try await session.request(server.url).serializing(String.self).response
            #expect(response.error?.code == .badServerResponse, "\(response)")
        }
    }
}
