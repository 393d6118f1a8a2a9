import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// Resolvers as a session uses them.
@Suite("Resolvers", .timeLimit(.minutes(1)))
struct StandardResolverTests {
    private func session(_ configuration: SocketTransport.Configuration) -> Session {
        Session(transport: .sockets(configuration))
    }

    private func code(_ session: Session, _ url: String) async -> AsyncNetError.Code? {
        await session.request(url).serializing(Data.self).response.error?.code
    }

    // MARK: Which names are asked for

    @Test("A resolver gets names in lower case without last dot, and no addresses, localhost or configured hosts")
    func names() async throws {
        let resolver = TestResolver { _ in [ResolvedAddress("127.0.0.1")] }
        try await withServer { server in
            await server.route("/") { _ in .text("a") }
            let port = server.port
            let session = session(.init(addresses: ["over.test:\(port)": ["127.0.0.1"]], resolver: resolver))
            for host in [
                "127.0.0.1", "[::ffff:127.0.0.1]", "localhost", "LOCALHOST.", "a.localhost", "a.b.localhost.",
                "over.test",
                "Over.Test", "Name.Test.", "name.test", "notlocalhost", "localhost.test",
            ] {
                #expect(await code(session, "http://\(host):\(port)/") == nil, "\(host)")
            }
        }
        // `name.test.` and `name.test` are two names to the transport, since a system's resolver tells them apart.
        #expect(resolver.names == ["name.test", "name.test", "notlocalhost", "localhost.test"])
    }

    @Test("Of a resolver's addresses only those of the configured IP version are used")
    func ipVersion() async throws {
        let resolver = TestResolver { _ in ["::1", "127.0.0.1"].map { ResolvedAddress($0) } }
        try await withServer(.text("a")) { server in
            let url = "http://name.test:\(server.port)/"
            #expect(await code(session(.init(ipVersion: .v4, resolver: resolver)), url) == nil)
            #expect(await code(session(.init(ipVersion: .v6, resolver: resolver)), url) == .cannotConnect)
        }
        let v4 = TestResolver { _ in [ResolvedAddress("127.0.0.1")] }
        #expect(await code(session(.init(ipVersion: .v6, resolver: v4)), "http://name.test:1/") == .hostNotFound)
    }

    @Test("The resolver looks up the proxy's name, and an unknown name ends the request with .proxyNotFound")
    func proxies() async throws {
        let resolver = TestResolver { name in name == "proxy.test" ? [ResolvedAddress("127.0.0.1")] : [] }
        try await withServer(.text("a")) { server in
            let proxied = session(.init(proxy: .http("proxy.test", port: server.port), resolver: resolver))
            #expect(await code(proxied, "http://server.test/") == nil)
            #expect(resolver.names == ["proxy.test"])
        }
        let lost = session(.init(proxy: .http("other.test", port: 1), resolver: resolver))
        #expect(await code(lost, "http://server.test/") == .proxyNotFound)
    }

    @Test("A server's name is looked up again after its SOCKS5 proxy could not be connected to")
    func failedProxy() async throws {
        let resolver = TestResolver { _ in [ResolvedAddress("127.0.0.1")] }
        let session = session(.init(proxy: .url("socks5://127.0.0.1:1"), resolver: resolver))
        for _ in 0..<2 { #expect(await code(session, "http://server.test/") == .cannotConnect) }
        #expect(resolver.names == ["server.test", "server.test"])
    }

    // MARK: Fixed tables

    @Test("A .fixed resolver finds the names of its table, and throws .hostNotFound for others")
    func fixed() async throws {
        try await withServer(.text("a"), .text("b")) { server in
            let session = session(.init(resolver: .fixed(["Service.Test.": ["127.0.0.1"], "none.test": []])))
            #expect(await code(session, "http://service.test:\(server.port)/") == nil)
            #expect(await code(session, "http://other.test:\(server.port)/") == .hostNotFound)
            #expect(await code(session, "http://none.test:\(server.port)/") == .hostNotFound)
        }
    }

    @Test(
        "An invalid resolver is .invalidConfiguration for each request",
        arguments: [
            .fixed(["a.test": ["127.1"]]), .fixed(["a.test": ["127.0.0.1", "b.test"]]),
            .rotating(over: .fixed(["a.test": ["1.2.3.4:80"]])), .https("http://127.0.0.1/dns-query"),
            .https("dns.test/dns-query", addresses: ["127.0.0.1"]), .https("https://dns.test/dns-query"),
            .https("https://dns.test/dns-query", addresses: ["dns.test"]), .https(""),
            .https("https://127.0.0.1/", tls: .init(pins: ["no pin"])),
        ] as [StandardResolver])
    func invalid(_ resolver: StandardResolver) async {
        #expect(await code(session(.init(resolver: resolver)), "http://127.0.0.1:1/") == .invalidConfiguration)
    }

    @Test("libcurl refuses each resolver but .system with .unsupportedByTransport")
    func libcurl() async throws {
        for resolver in [.rotating, .fixed([:]), .https("https://127.0.0.1/")] as [StandardResolver] {
            let session = Session(transport: .libcurl(.init(resolver: resolver)))
            #expect(await code(session, "http://127.0.0.1:1/") == .unsupportedByTransport)
        }
        let own = Session(transport: .libcurl(.init(resolver: TestResolver { _ in [] })))
        #expect(await code(own, "http://127.0.0.1:1/") == .unsupportedByTransport)
        try await withServer(.text("a")) { server in
            let session = Session(transport: .libcurl(.init(resolver: .system)))
            #expect(await code(session, "http://127.0.0.1:\(server.port)/") == nil)
        }
    }

    @Test("A resolver can ask StandardResolver.system for addresses")
    func system() async throws {
        let resolver = TestResolver { try await StandardResolver.system.addresses(of: $0) }
        let lookup = NameLookup(.rotating(over: resolver))
        let promise = Promise<[SocketAddress]>()
        _ = lookup.addresses(of: "127.0.0.9") { promise.fulfil($0) }
        #expect(try await promise.value().map(\.text) == ["127.0.0.9"])
        let task = Task { try await StandardResolver.rotating.addresses(of: "127.0.0.9") }
        #expect(try await task.value.map(\.text) == ["127.0.0.9"])
    }

    @Test("For the HTTP cache .system and .rotating are the same route to a server, and each .fixed table another")
    func route() {
        let url = URL(filePath: "/")
        let texts =
            ([.system, .rotating, .fixed(["a": ["127.0.0.1"]]), .fixed(["a": ["127.0.0.2"]])] as [StandardResolver])
            .map { SocketTransport.Configuration(resolver: $0).route.text(to: url) }
        #expect(texts[0] == texts[1] && Set(texts).count == 3)
        let secret = StandardResolver.https("https://127.0.0.1/secret").route
        #expect(secret == "127.0.0.1:443 ")
    }

    // MARK: Resolvers that do not answer

    @Test("A dump of the configuration does not show the path of a DNS over HTTPS server")
    func dumped() {
        var text = ""
        dump(SocketTransport.Configuration(resolver: .https("https://127.0.0.1/secret/query")), to: &text)
        #expect(text.contains("127.0.0.1:443"))
        #expect(!text.contains("secret"))
    }

    @Test("A resolver that does not return delays neither a cancel nor connectTimeout")
    func hanging() async throws {
        let (gate, task) = (Gate(), Counter())
        let resolver = TestResolver { _ in
            await withCheckedContinuation { continuation in
                Task.detached {
                    await gate.wait()
                    continuation.resume()
                }
            }
            task.add()
            return [ResolvedAddress("127.0.0.1")]
        }
        let session = session(.init(connectTimeout: .milliseconds(50), resolver: resolver))
        #expect(await code(session, "http://slow.test/") == .timedOut)
        let patient = self.session(.init(resolver: resolver))
        let request = patient.request("http://slow.test/")
        async let code = code(patient, request)
        await resolver.lookups(atLeast: 2)
        await request.cancel()
        #expect(await code == .cancelled)
        #expect(task.value == 0)
        gate.open()
        await task.reaches(2)
    }

    private func code(_ session: Session, _ request: DataRequest) async -> AsyncNetError.Code? {
        await request.serializing(Data.self).response.error?.code
    }

    @Test("A lookup is cancelled when the last of the requests that wait for it is cancelled")
    func cancelled() async throws {
        let (cancelled, gate) = (Counter(), Gate())
        let resolver = TestResolver { _ in
            await withTaskCancellationHandler {
                await gate.wait()
            } onCancel: {
                cancelled.add()
            }
            return []
        }
        let session = session(.init(connectTimeout: .seconds(600), eventLoops: 1, resolver: resolver))
        let requests = (0..<3).map { session.request("http://slow.test/\($0)") }
        await withTaskGroup(of: AsyncNetError.Code?.self) { group in
            for request in requests { group.addTask { await code(session, request) } }
            await resolver.lookups(atLeast: 1)
            await requests[0].cancel()
            await requests[1].cancel()
            #expect(await group.next() == .some(.cancelled))
            #expect(await group.next() == .some(.cancelled))
            #expect(cancelled.value == 0)
            await requests[2].cancel()
            await cancelled.reaches(1)
        }
        #expect(resolver.names.count == 1)
        gate.open()
    }
}
