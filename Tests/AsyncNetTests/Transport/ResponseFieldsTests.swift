import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

/// What repeated and strange fields of a response mean, over real sockets.
@Suite("Response fields over transports", .timeLimit(.minutes(5)))
struct ResponseFieldsTests {
    @Test("A response with the same Content-Type twice passes validation", arguments: TransportUnderTest.allCases)
    func contentType(_ transport: TransportUnderTest) async throws {
        let reply = MockResponse.raw(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
        )
        try await withServer(reply) { (server: MockServer) async throws in
            let request = transport.session().request(server.url()).validate(contentType: ["application/json"])
            #expect(try await request.serializing(String.self).value == "{}")
        }
    }

    @Test(
        "Reason phrase and header lines are delivered unchanged and in order, over URLSession sorted by name",
        arguments: TransportUnderTest.allCases)
    func heads(_ transport: TransportUnderTest) async throws {
        let reply = MockResponse.raw(
            "HTTP/1.1 200 Very fine\r\nzeta: 1\r\nContent-Length: 2\r\nALPHA: 2\r\nZeta: 3\r\n\r\nok")
        try await withServer(reply) { (server: MockServer) async throws in
            let response = await transport.session().request(server.url()).serializing(String.self).response
            let head = try #require(response.head)
            guard transport != .urlSession else {
                return #expect(head.headers.map(\.name) == head.headers.map(\.name).sorted())
            }
            #expect(head.reasonPhrase == "Very fine")
            #expect(
                head.headers.map { "\($0.name)=\($0.value)" } == ["zeta=1", "Content-Length=2", "ALPHA=2", "Zeta=3"])
        }
    }

    @Test("A redirect with the same Location twice is followed", arguments: TransportUnderTest.allCases)
    func location(_ transport: TransportUnderTest) async throws {
        let redirect = MockResponse(
            302, headers: [.init(name: "Location", value: "/a"), .init(name: "Location", value: "/a")])
        try await withServer(redirect, .text("end")) { (server: MockServer) async throws in
            #expect(try await transport.session().request(server.url("/x")).serializing(String.self).value == "end")
            _ = try await server.takeRequest()
            #expect(try await server.takeRequest().target == "/a")
        }
    }

    @Test("A redirect with an empty Location is delivered", arguments: TransportUnderTest.allCases)
    func emptyLocation(_ transport: TransportUnderTest) async throws {
        try await withServer(.redirect(to: "")) { (server: MockServer) async throws in
            #expect(
                await transport.session().request(server.url("/x")).serializing(Data.self).response.statusCode == 302)
        }
    }

    /// FoundationNetworking refuses a head with such a byte, and its URL cannot hold a percent sign that encodes
    /// nothing.
    @Test(
        "Bytes of a redirect's Location are sent unchanged, or percent-encoded if not ASCII",
        arguments: [("/a\\xe4", "/a%E4"), ("/\\xc3\\xa4", "/%C3%A4"), ("/%zz?50%", "/%zz?50%"), ("/%e4", "/%e4")])
    func bytes(_ location: String, _ target: String) async throws {
        let server = try RawServer(
            """
            if head.startswith(b"GET /start "):
                c.sendall(b"HTTP/1.1 302 Found\\r\\nLocation: \(location)\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n")
            else:
                target = head.split(b" ")[1]
                c.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\nConnection: close\\r\\n\\r\\n%s" % (len(target), target))
            c.close()
            """)
        let url = try server.url.appending(path: "start")
        let sent = try await TransportUnderTest.libcurl.session().request(url).serializing(String.self).value
        // libcurl 8 writes the digits of an escape in capitals, which RFC 3986 §6.2.2.1 calls equivalent.
        #expect(sent == target || sent == target.replacing("%e4", with: "%E4"), "\(sent)")
    }
}
