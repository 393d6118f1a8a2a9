import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// Requests over sockets through proxies that forward to a server of this machine, whatever host the URL names.
@Suite("Proxies over sockets", .timeLimit(.minutes(5)))
struct SocketProxyTests {
    private static let kinds: [ProxyServer.Kind] = [.http, .https, .socks4, .socks4a, .socks5, .socks5h]

    private func send(_ url: String, over transport: SocketTransport) async -> DataResponse<String, AsyncNetError> {
        await Session(transport: transport).request(url).serializing(String.self).response
    }

    private func withTLSServer(_ body: (MockServer) async throws -> Void) async throws {
        let server = try await MockServer.start(tls: .selfSigned)
        await server.route("/*") { _ in .text("secret") }
        do { try await body(server) } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    @Test("https requests with large bodies succeed through each kind of proxy with credentials", arguments: kinds)
    func secure(_ kind: ProxyServer.Kind) async throws {
        let text = String(repeating: "0123456789abcdef", count: 50_000)
        try await withTLSServer { server in
            server.on(nil, "/large", replies: .text(text))
            let proxy = try TestProxy(kind, credentials: true)
            // The name must be one that is in the certificate, and an address for a proxy that takes addresses.
            let host = kind.takesAddress ? "127.0.0.1" : "localhost"
            let session = Session(transport: proxy.transport(user: "ada", password: "pw", trusting: server.anchor))
            let url = "https://\(host):\(server.port)/"
            #expect(try await session.request(url).serializing(String.self).value == "secret")
            #expect(try await session.request(url + "large").serializing(String.self).value == text)
            let body = RequestBody.data(Data(text.utf8))
            #expect(try await session.upload(body, to: url).serializing(String.self).value == "secret")
            #expect(server.requests.last?.body.count == text.utf8.count)
            #expect(await server.connectionCount == 1)
            #expect(server.requests.allSatisfy { !$0.headers.contains(name: "Proxy-Authorization") })
            #expect(proxy.log.count == 1)
            #expect(proxy.log.first?.contains("\(host):\(server.port)") == true)
            await session.finish()
        }
    }

    @Test("With tunnelling(), http requests through each kind of proxy share one tunnel", arguments: kinds)
    func plain(_ kind: ProxyServer.Kind) async throws {
        try await withServer(.text("a"), .text("b")) { (server: MockServer) async throws in
            let proxy = try TestProxy(kind)
            let session = Session(
                transport: SocketTransport(proxy.settings(proxy.configuration().tunnelling())))
            let url = "http://127.0.0.1:\(server.port)/x?y"
            for text in ["a", "b"] { #expect(try await session.request(url).serializing(String.self).value == text) }
            #expect(server.requests.map(\.target) == ["/x?y", "/x?y"])
            #expect(await server.connectionCount == 1)
            #expect(proxy.log.count == 1)
            await session.finish()
        }
    }

    @Test("A socks4a, socks5h or HTTP proxy looks up the host, and a socks4 or socks5 proxy gets its address")
    func names() async throws {
        try await withServer(.text("a"), .text("b"), .text("c")) { (server: MockServer) async throws in
            for kind in [ProxyServer.Kind.socks4a, .socks5h, .http] {
                let proxy = try TestProxy(kind)
                let transport = SocketTransport(proxy.settings(proxy.configuration().tunnelling()))
                #expect(await send("http://nowhere.invalid:\(server.port)/", over: transport).error == nil)
                #expect(proxy.log.first?.contains("nowhere.invalid:\(server.port)") == true)
            }
            for kind in [ProxyServer.Kind.socks4, .socks5] {
                let proxy = try TestProxy(kind)
                let error = await send("http://nowhere.invalid:1/", over: proxy.transport()).error
                #expect(error?.code == .hostNotFound)
                #expect(proxy.log == [])
                var settings = proxy.settings(proxy.configuration())
                settings.addresses = ["nowhere.invalid:7": ["127.0.0.9"]]
                _ = await send("http://nowhere.invalid:7/", over: SocketTransport(settings))
                #expect(proxy.log == ["127.0.0.9:7"])
            }
        }
    }

    @Test(
        "A request with wrong or no credentials for a proxy ends with .proxyFailed, which does not show the password",
        arguments: kinds)
    func refused(_ kind: ProxyServer.Kind) async throws {
        let proxy = try TestProxy(kind, credentials: true)
        for (user, password) in [("ada", "hunter2"), (nil, nil)] as [(String?, String?)] {
            // SOCKS4 has no password.
            let user = kind == .socks4 || kind == .socks4a ? user.map { _ in "eve" } : user
            let error = await send("https://127.0.0.1:1/", over: proxy.transport(user: user, password: password)).error
            #expect(error?.code == .proxyFailed)
            #expect(error?.isRefusedByProxy == true)
            #expect(error?.statusCode == (kind.isHTTP ? 407 : nil))
            #expect(error.map { "\($0)\($0.debugDescription)" }?.contains("hunter2") == false)
        }
    }

    @Test(
        "After a proxy's Digest challenge, the repeated CONNECT and later ones have Digest", arguments: [false, true])
    func digest(_ isTLS: Bool) async throws {
        try await withTLSServer { server in
            let proxy = try TestProxy(isTLS ? .https : .http, credentials: true, digest: true)
            let transport = proxy.transport(user: "ada", password: "pw", trusting: server.anchor)
            for host in ["127.0.0.1", "localhost"] {
                #expect(await send("https://\(host):\(server.port)/", over: transport).value == "secret")
            }
            #expect(proxy.log.map { $0.split(separator: " ").last.map(String.init) } == ["Basic", "Digest", "Digest"])
        }
    }

    // MARK: The proxy's own TLS

    @Test("An untrusted certificate of an HTTPS proxy is refused, whatever the server's TLS settings trust")
    func untrusted() async throws {
        let proxy = try TestProxy(.https)
        for tls in [TLSConfiguration(), .init(trust: .anchors([TestProxy.certificate])), .init(trust: .disabled)] {
            var settings = SocketTransport.Configuration(tls: tls, proxy: proxy.configuration())
            settings.proxy.tls = .system
            for url in ["https://127.0.0.1:1/", "http://127.0.0.1:1/"] {
                let error = await send(url, over: SocketTransport(settings)).error
                #expect(error?.code == .certificateNotTrusted)
                #expect(error?.message.contains("to the proxy") == true)
            }
        }
        #expect(proxy.log == [])
    }

    @Test("The server's certificate is verified through a proxy's tunnel", arguments: [ProxyServer.Kind.http, .https])
    func inner(_ kind: ProxyServer.Kind) async throws {
        try await withTLSServer { server in
            let proxy = try TestProxy(kind)
            let error = await send("https://127.0.0.1:\(server.port)/", over: proxy.transport()).error
            #expect(error?.code == .certificateNotTrusted)
            #expect(error?.serverTrust?.certificates.count == 1)
            #expect(await server.requestCount == 0)
        }
    }

    // MARK: Phases

    private static let phases: [(ProxyServer.Kind, Int)] =
        kinds.flatMap { kind in
            (0..<(kind == .https ? 2 : kind == .socks5 || kind == .socks5h ? 3 : 1)).map { (kind, $0) }
        }

    @Test(
        "A proxy that closes the connection leads to .proxyFailed, in a TLS handshake to .tlsHandshakeFailed",
        arguments: phases)
    func closes(_ kind: ProxyServer.Kind, _ phase: Int) async throws {
        let proxy = try TestProxy(kind, credentials: true, stop: ("closes", phase))
        let transport = proxy.transport(user: "ada", password: "pw")
        let code = await send("https://127.0.0.1:1/", over: transport).error?.code
        #expect(code == (kind == .https && phase == 0 ? .tlsHandshakeFailed : .proxyFailed))
    }

    @Test("A proxy that stops answering at any step leads to .timedOut after connectTimeout", arguments: phases)
    func waits(_ kind: ProxyServer.Kind, _ phase: Int) async throws {
        let proxy = try TestProxy(kind, credentials: true, stop: ("waits", phase))
        var settings = proxy.settings(proxy.configuration(user: "ada", password: "pw"))
        settings.connectTimeout = .milliseconds(300)
        let error = await send("https://127.0.0.1:1/", over: SocketTransport(settings)).error
        #expect(error?.code == .timedOut)
    }

    @Test(
        "A request is cancelled while a proxy does not answer at any step, and the session can finish",
        arguments: phases)
    func cancels(_ kind: ProxyServer.Kind, _ phase: Int) async throws {
        let proxy = try TestProxy(kind, credentials: true, stop: ("waits", phase))
        var settings = proxy.settings(proxy.configuration(user: "ada", password: "pw"))
        // A busy machine must not use the time up before the cancel.
        settings.connectTimeout = .seconds(600)
        let session = Session(transport: .sockets(settings))
        let request = session.request("https://127.0.0.1:1/")
        let isAsked = phase > 0 || kind.isHTTP && kind != .https || kind == .socks4 || kind == .socks4a
        let task = Task { await request.serializing(Data.self).response.error?.code }
        // What reaches the log was said by then; before it the connection alone is awaited.
        if isAsked, kind != .socks5, kind != .socks5h { #expect(await eventually { !proxy.log.isEmpty }) }
        task.cancel()
        #expect(await task.value == .cancelled)
        await session.finish()
    }

    // MARK: Requests that are passed on

    private func forward(
        _ replies: MockResponse..., scheme: String = "http", body: (MockServer, Session) async throws -> Void
    ) async throws {
        let proxy = try await MockServer.start()
        for reply in replies { await proxy.enqueue(reply) }
        let session = Session(transport: .sockets(proxy: .url("http://ada:pw@127.0.0.1:\(proxy.port)")))
        try await body(proxy, session)
        await session.finish()
        await proxy.stop()
    }

    private static let challenge = MockResponse.status(
        407, headers: ["Proxy-Authenticate": #"Digest realm="r", nonce="n", qop="auth""#], body: "no")

    @Test("A forwarded request has an absolute target without zone and user, and the proxy's credentials")
    func absolute() async throws {
        try await forward(.text("a"), .text("b"), .text("c")) { proxy, session in
            for url in ["http://u:p@Example.test:81/x?y#z", "http://example.test:81", "http://[fe80::1%25lo]/"] {
                _ = try await session.request(url).serializing(String.self).value
            }
            #expect(
                proxy.requests.map(\.target) == [
                    "http://example.test:81/x?y", "http://example.test:81/", "http://[fe80::1]/",
                ])
            #expect(proxy.requests.map { $0.headers["Host"] } == ["example.test:81", "example.test:81", "[fe80::1]"])
            #expect(proxy.requests.allSatisfy { $0.headers["Proxy-Authorization"] == "Basic YWRhOnB3" })
            #expect(proxy.requests.map(\.connection) == [1, 1, 2])
        }
    }

    @Test("Proxy-Authorization of the request is not replaced, and its 407 is delivered")
    func own() async throws {
        try await forward(Self.challenge) { proxy, session in
            let response = await session.request("http://a.test/", headers: ["Proxy-Authorization": "Bearer x"])
                .serializing(String.self).response
            #expect(response.statusCode == 407)
            #expect(proxy.requests.map { $0.headers.values(for: "Proxy-Authorization") } == [["Bearer x"]])
        }
    }

    @Test("A forwarded request with a body is sent again after one 407 with Digest, and a second 407 is delivered")
    func forwardedDigest() async throws {
        try await forward(Self.challenge, .text("a"), .text("b"), Self.challenge, Self.challenge) { proxy, session in
            for text in ["a", "b"] {
                let upload = session.upload(.data(Data("body".utf8)), to: "http://a.test/x")
                let value = try await upload.serializing(String.self).value
                #expect(value == text)
            }
            let last = await session.request("http://a.test/x").serializing(String.self).response
            #expect(last.statusCode == 407)
            let requests = proxy.requests
            #expect(
                requests.map { $0.headers["Proxy-Authorization"]?.prefix(6) } == [
                    "Basic ", "Digest", "Digest", "Digest", "Digest",
                ])
            #expect(requests.prefix(3).allSatisfy { $0.text == "body" })
            #expect(requests[1].headers["Proxy-Authorization"]?.contains(#"uri="http://a.test/x""#) == true)
            #expect(requests.map(\.connection) == [1, 1, 1, 1, 1])
        }
    }

    @Test(
        "After a 407 whose connection ends, or whose body is large, the request is sent on another connection",
        arguments: [
            MockResponse.raw(
                "HTTP/1.1 407 No\r\nProxy-Authenticate: Digest realm=\"r\", nonce=\"n\"\r\nConnection: close\r\n\r\nno"),
            .raw(
                "HTTP/1.1 407 No\r\nProxy-Authenticate: Digest realm=\"r\", nonce=\"n\"\r\nContent-Length: 99\r\n\r\nno"
            ),
            .raw(
                "HTTP/1.1 407 No\r\nProxy-Authenticate: Digest realm=\"r\", nonce=\"n\"\r\nProxy-Connection: close\r\n"
                    + "Content-Length: 2\r\n\r\nno"),
            .raw(
                "HTTP/1.1 407 No\r\nProxy-Authenticate: Digest realm=\"r\", nonce=\"n\"\r\nContent-Length: 100000\r\n\r\n"
                    + String(repeating: "x", count: 100_000)),
        ])
    func newConnection(_ challenge: MockResponse) async throws {
        try await forward(challenge, .text("a")) { proxy, session in
            let value = try await session.request("http://a.test/").serializing(String.self).value
            #expect(value == "a")
            #expect(proxy.requests.map(\.connection) == [1, 2])
        }
    }

    @Test("maximumConnectionsPerOrigin holds for each origin of requests that a proxy forwards")
    func limits() async throws {
        let proxy = try await MockServer.start()
        let gate = Gate()
        proxy.on(nil, "*") { request in
            if request.headers["Host"] == "slow.test" { await gate.wait() }
            return .text("ok")
        }
        let transport = SocketTransport(
            .init(proxy: .http("127.0.0.1", port: proxy.port), maximumConnectionsPerOrigin: 2, eventLoops: 1))
        let session = Session(transport: transport)
        let slow = (0..<4).map { _ in
            Task { try await session.request("http://slow.test/").serializing(String.self).value }
        }
        await proxy.requests(atLeast: 2)
        #expect(try await session.request("http://fast.test/").serializing(String.self).value == "ok")
        #expect(await proxy.requestCount == 3)
        gate.open()
        for task in slow { #expect(try await task.value == "ok") }
        await session.finish()
        await proxy.stop()
    }

    // MARK: Events and errors

    @Test("The heads of CONNECT and of the request are reported in order, described without credentials")
    func heads() async throws {
        try await withTLSServer { server in
            let proxy = try TestProxy(.http, credentials: true, digest: true)
            let session = Session(transport: proxy.transport(user: "ada", password: "pw", trusting: server.anchor))
            let request = session.request("https://127.0.0.1:\(server.port)/")
            let events = request.events
            _ = try await request.serializing(String.self).value
            var told: [String] = []
            for await event in events {
                guard case .sent(let head) = event else { continue }
                told.append(head.requestLine)
                #expect(!"\(head)".contains("YWRhOnB3"))
                #expect(head.headers.contains(name: "Proxy-Authorization") == head.requestLine.hasPrefix("CONNECT"))
            }
            let connect = "CONNECT 127.0.0.1:\(server.port) HTTP/1.1"
            #expect(told == [connect, connect, "GET / HTTP/1.1"])
            await session.finish()
        }
    }

    @Test("What a SOCKS proxy is sent, such as the password, is not reported as a head", arguments: kinds.suffix(3))
    func noHeads(_ kind: ProxyServer.Kind) async throws {
        try await withTLSServer { server in
            let proxy = try TestProxy(kind, credentials: true)
            let session = Session(transport: proxy.transport(user: "ada", password: "pw", trusting: server.anchor))
            let request = session.request("https://127.0.0.1:\(server.port)/")
            let events = request.events
            _ = try await request.serializing(String.self).value
            var told: [String] = []
            for await case .sent(let head) in events { told.append(head.requestLine) }
            #expect(told == ["GET / HTTP/1.1"])
            await session.finish()
        }
    }

    @Test("An unknown proxy leads to .proxyNotFound, and the error of a refused connection to a proxy names the proxy")
    func unreachable() async throws {
        let closed = try await MockServer.start(isRefusing: true)
        for scheme in Self.kinds {
            let zoned = SocketTransport(.init(proxy: .url("\(scheme)://[fe80::1%25nowhere]:1")))
            #expect(await send("http://127.0.0.1:1/", over: zoned).error?.code == .proxyNotFound)
            let missing = SocketTransport(.init(proxy: .url("\(scheme)://nowhere.invalid:1")))
            #expect(await send("http://127.0.0.1:1/", over: missing).error?.code == .proxyNotFound)
            let refusing = SocketTransport(.init(proxy: .url("\(scheme)://127.0.0.1:\(closed.port)")))
            let error = await send("http://127.0.0.1:1/", over: refusing).error
            #expect(error?.code == .cannotConnect)
            #expect(error?.message.hasPrefix("The proxy could not be connected to") == true, "\(error?.message ?? "")")
        }
        await closed.stop()
    }
}
