import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// What a session's policy keeps its connections from.
@Suite("Address policies over sockets", .timeLimit(.minutes(5)))
struct JudgedAddressTests {
    private static func session(
        _ policy: AddressPolicy, _ configuration: SocketTransport.Configuration = .init(),
        _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) -> Session {
        var settings = SessionConfiguration(addresses: policy)
        change(&settings)
        return Session(transport: .sockets(configuration), configuration: settings)
    }

    private static func code(_ session: Session, _ url: String, _ options: RequestOptions = RequestOptions()) async
        -> AsyncNetError.Code?
    {
        await AsyncNetError.code { _ = try await session.request(url, options: options).serializing(Data.self).value }
    }

    @Test(
        "A request to an address that is not allowed, in any spelling, ends with .addressNotAllowed before connecting",
        arguments: [
            "127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "127.1", "2130706433", "0x7f.1", "017700000001",
        ])
    func refused(_ host: String) async throws {
        try await withServer(.text("x")) { (server: MockServer) async throws in
            let code = await Self.code(Self.session(.publicOnly), "http://\(host):\(server.port)/")
            #expect(code == .addressNotAllowed || host.contains("7f") && code == .malformedURL)
            #expect(await server.connectionCount == 0)
        }
    }

    @Test("The error of an address that is not allowed names the address and the rule")
    func message() async throws {
        let request = Self.session(.publicOnly).request("http://127.0.0.1:1/")
        let error = await request.serializing(Data.self).result.failure
        #expect(error?.message == "The host's address 127.0.0.1 is not allowed: it is loopback (127.0.0.0/8)")
    }

    @Test("Only the allowed addresses of a name are connected to")
    func partlyAllowed() async throws {
        try await withServer(.text("x")) { (server: MockServer) async throws in
            var configuration = SocketTransport.Configuration()
            configuration.addresses = ["service.test:\(server.port)": ["127.0.0.2", "127.0.0.1"]]
            let session = Self.session(.allowing(["127.0.0.1"]), configuration)
            let url = "http://service.test:\(server.port)/"
            #expect(try await session.request(url).serializing(String.self).value == "x")
        }
    }

    @Test("A redirect to an address that is not allowed ends with .addressNotAllowed, and is not retried")
    func redirects() async throws {
        let (first, second) = (try await MockServer.start(), try await MockServer.start())
        await first.enqueue(.redirect(to: second.url("/secret").absoluteString))
        let policy = AddressPolicy.any.denying(ports: [second.port])
        let session = Self.session(policy) { $0.interceptors = [RetryPolicy(errorCodes: [.addressNotAllowed])] }
        #expect(await Self.code(session, first.url().absoluteString) == .addressNotAllowed)
        #expect(await first.requestCount == 1)
        #expect(await second.connectionCount == 0)
        await first.stop()
        await second.stop()
    }

    @Test("A request does not use a kept connection of another address policy")
    func keptConnections() async throws {
        try await withServer(.text("1"), .text("2"), .text("3")) { (server: MockServer) async throws in
            let (session, url) = (Self.session(.any), server.url().absoluteString)
            #expect(await Self.code(session, url) == nil)
            #expect(await Self.code(session, url, RequestOptions(addresses: .publicOnly)) == .addressNotAllowed)
            let local = RequestOptions(addresses: .allowing(["127.0.0.0/8"]))
            #expect(await Self.code(session, url, local) == nil)
            #expect(await Self.code(session, url, local) == nil)
            #expect(await server.connectionCount == 2)
        }
    }

    @Test("The address policy of a request replaces the session's")
    func options() async throws {
        try await withServer(.text("1")) { (server: MockServer) async throws in
            let session = Self.session(.publicOnly)
            #expect(await Self.code(session, server.url().absoluteString, RequestOptions(addresses: .any)) == nil)
        }
    }

    @Test("Equal requests with different address policies do not share a transfer")
    func coalescing() async throws {
        try await withServer(.text("1")) { (server: MockServer) async throws in
            let gate = Gate()
            await server.route("/") { _ in
                await gate.wait()
                return .text("1")
            }
            let session = Self.session(.any) { $0.coalescesRequests = true }
            let url = server.url().absoluteString
            async let open = Self.code(session, url)
            _ = try await server.takeRequest()
            #expect(await Self.code(session, url, RequestOptions(addresses: .publicOnly)) == .addressNotAllowed)
            gate.open()
            #expect(await open == nil)
        }
    }

    // MARK: Without HTTP

    @Test("A WebSocket and a raw stream to an address that is not allowed end with .addressNotAllowed")
    func connections() async throws {
        try await withServer { (server: MockServer) async throws in
            let session = Self.session(.publicOnly)
            let socket = session.webSocket("ws://127.0.0.1:\(server.port)/")
            #expect(await socket.received().error?.code == .addressNotAllowed)
            #expect(await Self.codeOfConnecting(session, server.port) == .addressNotAllowed)
            #expect(await server.connectionCount == 0)
        }
    }

    private static func codeOfConnecting(_ session: Session, _ port: Int) async -> AsyncNetError.Code? {
        do throws(AsyncNetError) {
            _ = try await session.connect(to: "127.0.0.1", port: port, tls: nil)
            return nil
        } catch {
            return error.code
        }
    }

    // MARK: Proxies

    @Test(
        "Through a proxy that looks up names, a request to a name or private address ends with .addressNotAllowed",
        arguments: ["http", "socks5h", "socks4a"])
    func proxies(_ scheme: String) async throws {
        try await withServer(.text("x")) { (proxy: MockServer) async throws in
            let configuration = SocketTransport.Configuration(proxy: .url("\(scheme)://127.0.0.1:\(proxy.port)"))
            let session = Self.session(.publicOnly, configuration)
            for host in ["10.0.0.1", "10.1", "[fd00::1]", "[fd00::1%25nosuch]", "intern.test"] {
                #expect(await Self.code(session, "http://\(host)/") == .addressNotAllowed, "\(host)")
            }
            #expect(await proxy.connectionCount == 0)
        }
    }

    @Test("With letsProxiesResolve the proxy resolves a name if the transport's policy allows the proxy's address")
    func trustedProxies() async throws {
        try await withServer(.text("x")) { (proxy: MockServer) async throws in
            var configuration = SocketTransport.Configuration(proxy: .http("127.0.0.1", port: proxy.port))
            var policy = AddressPolicy.publicOnly
            policy.letsProxiesResolve = true
            #expect(await Self.code(Self.session(policy, configuration), "http://intern.test/") == nil)
            var open = AddressPolicy.any
            open.letsProxiesResolve = true
            let denying = open.denying(["10.0.0.0/8"])
            #expect(await Self.code(Self.session(denying, configuration), "http://intern.test/") == nil)
            configuration.addressPolicy = .publicOnly
            #expect(await Self.code(Self.session(policy, configuration), "http://intern.test/") == .addressNotAllowed)
            #expect(await proxy.connectionCount == 2)
        }
    }

    @Test("An address that is not allowed leads to .addressNotAllowed before the SOCKS5 proxy is connected to")
    func lookedUpHere() async throws {
        try await withServer { (proxy: MockServer) async throws in
            let configuration = SocketTransport.Configuration(
                proxy: .url("socks5://127.0.0.1:\(proxy.port)"), addresses: ["intern.test:80": ["10.0.0.1"]])
            #expect(
                await Self.code(Self.session(.publicOnly, configuration), "http://intern.test/") == .addressNotAllowed)
            #expect(await proxy.connectionCount == 0)
        }
    }

    // MARK: Other transports

    @Test("A transport without support for address policies refuses a request that has one")
    func otherTransports() async throws {
        struct Plain: Transport {
            func send(_ request: TransportRequest) async throws -> TransportResponse {
                TransportResponse(
                    head: HTTPResponseHead(statusCode: 200, url: request.head.url), body: TransportBody(Data()))
            }
        }
        let session = Session(transport: Plain(), configuration: .init(addresses: .publicOnly))
        #expect(await Self.code(session, "http://127.0.0.1/") == .unsupportedByTransport)
        #expect(await Self.code(session, "http://127.0.0.1/", RequestOptions(addresses: .any)) == nil)
        let stub = Session(transport: StubTransport { _ in .text("x") }, configuration: .init(addresses: .publicOnly))
        #expect(await Self.code(stub, "http://127.0.0.1/") == nil)
    }

    @Test("An address policy with an invalid network is .invalidConfiguration for each request")
    func unreadable() async throws {
        #expect(
            await Self.code(Self.session(.denying(["10.0.0.0/99"])), "http://127.0.0.1:1/") == .invalidConfiguration)
        let configuration = SocketTransport.Configuration(addressPolicy: .denying(["x"]))
        #expect(await Self.code(Self.session(.any, configuration), "http://127.0.0.1:1/") == .invalidConfiguration)
    }
}
