import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

/// A caller's `Connection: close` (RFC 9112 §9.6).
@Suite("Connection: close", .timeLimit(.minutes(5)))
struct ClosedConnectionTests {
    /// Responds to each request with the client's port, and keeps each connection until the client closes it.
    private static let server = """
        while True:
            port = str(c.getpeername()[1]).encode()
            c.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(port) + port)
            head = b""
            while b"\\r\\n\\r\\n" not in head: head += c.recv(1)
        """

    @Test(
        "The request after one with Connection: close is sent on another connection",
        arguments: [
            (["close"], true), (["Close"], true), (["close, TE"], true), (["TE ,\tCLOSE"], true),
            (["TE", "close"], true),
            ([], false), (["keep-alive"], false), (["closed"], false), (["TE"], false), (["\"close\""], false),
        ] as [([String], Bool)], TransportUnderTest.withoutURLSession)
    func next(_ field: (values: [String], isLast: Bool), _ transport: TransportUnderTest) async throws {
        let server = try RawServer(Self.server)
        let session = transport.session()
        let headers = HTTPHeaders(field.values.map { HTTPHeader(name: "connection", value: $0) })
        var ports: [String] = []
        for headers in [headers, [:], [:]] {
            ports.append(try await session.request(server.url, headers: headers).serializing(String.self).value)
        }
        #expect((ports[0] != ports[1]) == field.isLast)
        #expect(ports[1] == ports[2])
    }

    @Test(
        "Connection: close is sent to the server with GET, POST, PUT and HEAD", arguments: TransportUnderTest.allCases)
    func header(_ transport: TransportUnderTest) async throws {
        let session = transport.session()
        for method in [HTTPMethod.get, .post, .put, .head] {
            try await withServer(.text("a")) { (server: MockServer) async throws in
                let request = session.request(server.url(), method: method, headers: ["Connection": "close"])
                #expect(await request.serializing(Data.self).response.statusCode == 200)
                #expect(try await server.takeRequest().headers.values(for: "Connection") == ["close"])
            }
        }
    }
}
