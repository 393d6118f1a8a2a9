import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// IPv6 addresses with the zone of an interface (RFC 6874), as curl takes them.
@Suite("Zones of IPv6 addresses", .timeLimit(.minutes(5)))
struct ZoneTests {
    #if canImport(Darwin)
        private static let loopback = "lo0"
    #else
        private static let loopback = "lo"
    #endif

    /// Responds with the request's Host, of which a header has a copy; to `/a` with a redirect to `/b` of the same address.
    private static let server = """
        while True:
            if not head:
                while b"\\r\\n\\r\\n" not in head: head += c.recv(1)
            fields = dict(line.split(b": ", 1) for line in head.split(b"\\r\\n")[1:] if line)
            host, port = fields.get(b"Host", b"none"), b"%d" % c.getsockname()[1]
            status = b"302 Found" if b" /a " in head else b"200 OK"
            location = b"Location: http://[::1%25LOOPBACK]:" + port + b"/b\\r\\n" if status[:1] == b"3" else b""
            c.sendall(b"HTTP/1.1 " + status + b"\\r\\n" + location + b"X-Host: " + host
                + b"\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(host) + host)
            head = b""
        """

    private func server() throws -> RawServer {
        try RawServer(Self.server.replacing("LOOPBACK", with: Self.loopback), address: "::1")
    }

    @Test("A request to an IPv6 address with a zone connects by the zone, and sends Host without it")
    func requests() async throws {
        let server = try server()
        let host = "[::1]:\(server.port)"
        for zone in ["%25", "%"].map({ $0 + Self.loopback }) {
            let base = "http://[::1\(zone)]:\(server.port)/"
            let session = Session(transport: .libcurl(), configuration: .init(baseURL: base))
            #expect(try await session.request(base).serializing(String.self).value == host)
            let redirected = await session.request("a").serializing(String.self).response
            #expect(redirected.value == host)
            #expect(redirected.metrics.redirects.map(\.relativePath) == ["/b"])
            // The server takes one connection at a time.
            await session.finish()
        }
    }

    @Test("The handshake of a WebSocket connects by the zone, and sends Host without it")
    func webSocket() async throws {
        let server = try server()
        let socket = Session(transport: .sockets()).webSocket("ws://[::1%25\(Self.loopback)]:\(server.port)/")
        let error = await #expect(throws: AsyncNetError.self) { try await socket.ping() }
        #expect(error?.code == .webSocketHandshakeFailed)
        #expect(error?.response?.value(forHTTPHeaderField: "X-Host") == "[::1]:\(server.port)")
    }

    @Test("A raw stream connects to a host with a zone", arguments: ["::1%", "[::1%", "::1%25", "[::1%25"])
    func stream(_ start: String) async throws {
        let server = try server()
        let host = start + Self.loopback + (start.hasPrefix("[") ? "]" : "")
        let session = Session(transport: .sockets())
        let connection = try await session.connect(to: host, port: server.port, tls: .none)
        try await connection.write(Data("GET / HTTP/1.1\r\n\r\n".utf8))
        var received = Data()
        for try await bytes in connection.bytes {
            received += bytes
            if received.suffix(4) == Data("none".utf8) { break }
        }
        #expect(received.starts(with: Data("HTTP/1.1 200".utf8)))
        await connection.close()
    }

    @Test(
        "A URL may have a zone only after an IPv6 address, of at most 15 unreserved characters",
        arguments: [
            ("http://[fe80::1%25eth0]/", nil), ("http://[fe80::1%eth0]:8080/a?b#c", nil),
            ("https://[FE80::1%25en0.1]/", nil), ("http://[::1%251]/", nil), ("http://[fe80::1%25a-b._~]/", nil),
            ("http://[fe80::1%25abcdefghijklmno]/", nil), ("http://[fe80::1%25abcdefghijklmnop]/", .malformedURL),
            ("http://[fe80::1%25]/", .malformedURL), ("http://[fe80::1%]/", .malformedURL),
            ("http://[fe80::1%25a%2Fb]/", .malformedURL), ("http://[fe80::1%25a%00]/", .malformedURL),
            ("http://[fe80::1%25a%25b]/", .malformedURL), ("http://[fe80::1%25a@b]/", .malformedURL),
            ("http://[fe80::g%25eth0]/", .malformedURL), ("http://1.2.3.4%25eth0/", .malformedURL),
            ("http://a%25eth0/", .malformedURL), ("http://fe80::1%25eth0/", .malformedURL),
        ] as [(String, AsyncNetError.Code?)])
    func urls(_ url: String, _ code: AsyncNetError.Code?) async {
        let session = Session(transport: StubTransport { _ in .text("a") })
        #expect(await session.request(url).serializing(String.self).response.error?.code == code)
    }

    @Test(
        "Over sockets, a host in brackets that is no IPv6 address is .malformedURL, an unknown zone .hostNotFound",
        arguments: [
            ("[::ffff:0x7f]", .malformedURL), ("[::ffff:127.0.0.1.2]", .malformedURL), ("[1:2]", .malformedURL),
            ("[::1%25nowhere]", .hostNotFound),
        ] as [(String, AsyncNetError.Code)])
    func addresses(_ host: String, _ code: AsyncNetError.Code) async {
        let session = Session(transport: .sockets())
        #expect(await session.request("http://\(host):1/").serializing(String.self).response.error?.code == code)
        await session.finish()
    }

    @Test("An IPv6 address in another zone is another origin, which gets no cookie or Authorization in a redirect")
    func origins() async throws {
        let urls = try ["%25eth0", "%eth0", "%25eth1", ""].map { try "http://[fe80::1\($0)]/".asURL() }
        #expect(urls.map { $0.origin == urls[0].origin } == [true, true, false, false])
        #expect(
            urls.map { $0.absoluteString.originKey == urls[0].absoluteString.originKey } == [true, true, false, false])
        #expect(urls.map { CookieOrigin($0) == CookieOrigin(urls[0]) } == [true, true, false, false])

        let stub = StubTransport { request in
            request.target == "/a"
                ? .status(302, headers: ["Location": "http://[fe80::1%25eth1]/b", "Set-Cookie": "c=1"]) : .text("b")
        }
        let session = Session(transport: stub, configuration: .init(cookieJar: CookieJar()))
        let request = session.request("http://[fe80::1%25eth0]/a", headers: [.authorization(bearerToken: "t")])
        let response = await request.serializing(String.self).response
        #expect(response.value == "b")
        #expect(
            response.request?.allHTTPHeaderFields?.keys.contains { ["Authorization", "Cookie"].contains($0) } == false)
    }

    @Test("HostName of an IPv6 address has no zone, in each spelling of the zone")
    func hostNames() {
        for zone in ["%25eth0", "%eth0", "%41", "%2541", "%25ab"] {
            #expect(HostName("[fe80::1\(zone)]")?.text == "fe80::1")
            #expect(HostName("fe80::1\(zone)")?.text == "fe80::1")
            #expect(HostName(ofURL: "https://u@[fe80::1\(zone)]:1/")?.text == "fe80::1")
        }
    }
}
