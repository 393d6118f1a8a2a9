import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// How long the body of a redirect is awaited, which is not delivered.
@Suite("Bodies of redirects", .timeLimit(.minutes(5)))
struct RedirectBodyTests {
    private static let head = "HTTP/1.1 302 Found\\r\\nLocation: /b\\r\\n"

    /// Not over URLSession: FoundationNetworking reports a redirect only once its body has ended.
    @Test(
        "The body of a redirect is not awaited unless it is known to be short",
        arguments: [
            "c.sendall(b'\(head)\\r\\n')",
            "c.sendall(b'\(head)Transfer-Encoding: chunked\\r\\n\\r\\n5\\r\\nhello\\r\\n')",
            "c.sendall(b'\(head)Content-Length: 65537\\r\\n\\r\\nhello')",
            "c.sendall(b'\(head)Transfer-Encoding: chunked\\r\\n\\r\\n')",
        ])
    func endless(_ script: String) async throws {
        let server = try RawServer(
            """
            if b"GET /b " in head:
                c.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 3\\r\\n\\r\\nend")
            else:
                \(script)
                try:
                    while True: c.recv(1)
                except (EOFError, OSError): pass
            """)
        let session = Session(transport: LibcurlTransport(), configuration: .init(clock: TestClock()))
        #expect(try await session.request(try server.url).serializing(String.self).value == "end")
        await session.finish()
    }

    @Test(
        "After a challenge whose body never ends, the request is sent again with credentials at once",
        arguments: TransportUnderTest.allCases)
    func challenge(_ transport: TransportUnderTest) async throws {
        let server = try RawServer(
            """
            if b"Authorization: Basic" in head:
                c.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 3\\r\\n\\r\\nend")
            else:
                c.sendall(b"HTTP/1.1 401 No\\r\\nWWW-Authenticate: Basic realm=x\\r\\n\\r\\n")
            """)
        let session = Session(transport: transport.make(), configuration: .init(clock: TestClock()))
        let request = session.request(try server.url)
        request.authenticate(username: "u", password: "p")
        #expect(try await request.serializing(String.self).value == "end")
        await session.finish()
    }

    @Test("The short body of a redirect is awaited for at most a second")
    func stalled() async throws {
        let clock = TestClock()
        let stub = StubTransport { request in
            guard request.path == "/a" else { return .text("end") }
            return MockResponse(302, headers: ["Location": "/b", "Content-Length": "5"], body: Data("hello".utf8)).with(
                .stallMidBody(after: 2))
        }
        let session = Session(transport: stub, configuration: .init(timeout: .seconds(1000), clock: clock))
        let task = Task { try await session.request("http://h/a").serializing(String.self).value }
        let time = Task {
            while !Task.isCancelled {
                await clock.sleepers(atLeast: 1)
                clock.advance(by: .milliseconds(500))
                await Task.yield()
            }
        }
        #expect(try await task.value == "end")
        time.cancel()
    }

    @Test(
        "The connection of a redirect with a short body is reused", arguments: [0, 5, 60_000],
        TransportUnderTest.allCases)
    func short(_ count: Int, _ transport: TransportUnderTest) async throws {
        var redirect = MockResponse.redirect(to: "/b")
        redirect.body = Data(count: count)
        try await withServer(redirect, .text("end")) { (server: MockServer) async throws in
            #expect(try await transport.session().request(server.url("/a")).serializing(String.self).value == "end")
            #expect(await server.connectionCount == 1)
        }
    }
}
