import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// Servers that send for ever, and faster than the client can take it in. `Scripts/flood-conformance` has more floods,
/// and checks the times.
///
/// Each has a process of its own, which must go on and exit. URLSession on Linux is left out: FoundationNetworking has one
/// thread, which such a server keeps busy.
@Suite("Floods", .serialized, .timeLimit(.minutes(5)))
struct FloodTests {
    enum Flood: String, CaseIterable, Codable, Sendable {
        case trailers, redirect, body, informational

        /// Python that sends what comes first, and what is repeated.
        var script: String {
            let chunked = "Transfer-Encoding: chunked\\r\\n\\r\\n"
            let chunks = "(b'64\\r\\n' + b'x' * 100 + b'\\r\\n') * 500"
            let (first, repeated) =
                switch self {
                case .trailers:
                    ("HTTP/1.1 200 OK\\r\\n\(chunked)2\\r\\nok\\r\\n0\\r\\n", "b'X-Flood: trailer\\r\\n' * 500")
                case .redirect: ("HTTP/1.1 302 Found\\r\\n\(chunked)", chunks)
                case .body: ("HTTP/1.1 200 OK\\r\\n\(chunked)", chunks)
                case .informational: ("", "b'HTTP/1.1 103 Early Hints\\r\\n\\r\\n' * 500")
                }
            return "c.sendall(b'\(first)')\nwhile True: c.sendall(\(repeated))"
        }

        func session(_ transport: TransportUnderTest) throws -> (RawServer, Session) {
            (try RawServer(script), transport.session())
        }
    }

    @Test(
        "A deadline ends a request whose response never ends, and the session can finish", arguments: Flood.allCases,
        TransportUnderTest.withoutURLSession)
    func deadline(_ flood: Flood, _ transport: TransportUnderTest) async {
        await #expect(processExitsWith: .success) {
            [flood = flood as Flood, transport = transport as TransportUnderTest] in
            let (server, session) = try flood.session(transport)
            let error = try await session.request(server.url).deadline(.seconds(0.5)).serializing(Data.self).result
                .failure
            // libcurl refuses a head of so many 1xx responses by itself.
            #expect(
                error.map { [.deadlineExceeded, .badServerResponse].contains($0.code) } == true,
                "\(error.map { "\($0)" } ?? "no error")")
            await session.finish()
        }
    }

    @Test(
        "Other requests, also of another session, are served while a response never ends",
        arguments: Flood.allCases, TransportUnderTest.withoutURLSession)
    func others(_ flood: Flood, _ transport: TransportUnderTest) async {
        await #expect(processExitsWith: .success) {
            [flood = flood as Flood, transport = transport as TransportUnderTest] in
            let (server, session) = try flood.session(transport)
            let request = try session.stream(server.url)
            let reader = Task { for try await _ in request.chunks {} }
            try await withServer(.text("one"), .text("two")) { (calm: MockServer) async throws in
                #expect(try await session.request(calm.url()).serializing(String.self).value == "one")
                #expect(try await transport.session().request(calm.url()).serializing(String.self).value == "two")
            }
            reader.cancel()
            _ = await reader.result
            await session.finish()
        }
    }

    @Test(
        "A redirect whose body never ends is followed",
        arguments: [
            "b'64\\r\\n' + b'x' * 100 + b'\\r\\n'", "(b'64\\r\\n' + b'x' * 100 + b'\\r\\n') * 500",
        ], TransportUnderTest.withoutURLSession)
    func redirect(_ repeated: String, _ transport: TransportUnderTest) async {
        await #expect(processExitsWith: .success) {
            [repeated = repeated as String, transport = transport as TransportUnderTest] in
            let server = try RawServer(
                """
                if b"/next" in head: return c.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 4\\r\\n\\r\\nnext")
                c.sendall(b"HTTP/1.1 302 Found\\r\\nLocation: /next\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n")
                def flood():
                    try:
                        while True: c.sendall(\(repeated))
                    except OSError: pass
                threading.Thread(target=flood, daemon=True).start()
                """)
            #expect(try await transport.session().request(server.url).serializing(String.self).value == "next")
        }
    }
}
