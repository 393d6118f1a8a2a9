import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// How long connections are used, and what a transport tells of them.
@Suite("Life of connections", .timeLimit(.minutes(5)))
struct PooledConnectionTests {
    private static func transport(
        _ server: MockServer, _ change: (inout SocketTransport.Configuration) -> Void = { _ in }
    )
        -> SocketTransport
    {
        var configuration = SocketTransport.Configuration(eventLoops: 1)
        if !server.anchor.isEmpty { configuration.tls = TLSConfiguration(trust: .anchors([server.anchor])) }
        change(&configuration)
        return SocketTransport(configuration)
    }

    private static func get(_ session: Session, _ server: MockServer, _ path: String = "/") async throws -> String {
        try await session.request(server.url(path)).serializing(String.self).value
    }

    // MARK: The end of a connection

    @Test(
        "A connection carries at most maximumRequestsPerConnection requests",
        arguments: [MockServer.Versions.http1, .http2])
    func numberOfRequests(_ versions: MockServer.Versions) async throws {
        let server = try await MockServer.start(tls: .selfSigned, speaks: versions)
        await server.route("/") { _ in .text("x") }
        let session = Session(transport: Self.transport(server) { $0.maximumRequestsPerConnection = 2 })
        for _ in 0..<5 { #expect(try await Self.get(session, server) == "x") }
        #expect(await server.connectionCount == 3)
        await server.stop()
    }

    @Test("Concurrent requests on an HTTP/2 connection count towards maximumRequestsPerConnection")
    func sharedRequests() async throws {
        let server = try await MockServer.start(tls: .selfSigned, speaks: .http2)
        let gate = Gate()
        await server.route("/") { _ in
            await gate.wait()
            return .text("x")
        }
        let session = Session(transport: Self.transport(server) { $0.maximumRequestsPerConnection = 4 })
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<10 { group.addTask { try await Self.get(session, server) } }
            for _ in 0..<10 { _ = try await server.takeRequest() }
            gate.open()
            for try await text in group { #expect(text == "x") }
        }
        #expect(await server.connectionCount == 3)
        await server.stop()
    }

    @Test(
        "An idle connection older than maximumConnectionLifetime is closed",
        arguments: [MockServer.Versions.http1, .http2])
    func lifetime(_ versions: MockServer.Versions) async throws {
        let server = try await MockServer.start(tls: .selfSigned, speaks: versions)
        await server.route("/") { _ in .text("x") }
        let session = Session(
            transport: Self.transport(server) { $0.maximumConnectionLifetime = .milliseconds(20) })
        _ = try await Self.get(session, server)
        await server.connectionsClosed()
        _ = try await Self.get(session, server)
        #expect(await server.connectionCount == 2)
        await server.stop()
    }

    @Test(
        "A transfer completes although its connection's lifetime ends meanwhile",
        arguments: [MockServer.Versions.http1, .http2])
    func draining(_ versions: MockServer.Versions) async throws {
        let server = try await MockServer.start(tls: .selfSigned, speaks: versions)
        let gate = Gate()
        await server.route("/slow") { _ in
            await gate.wait()
            return .text("slow")
        }
        await server.route("/") { _ in .text("x") }
        let transport = Self.transport(server) { $0.maximumConnectionLifetime = .milliseconds(20) }
        let session = Session(transport: transport)
        async let slow = Self.get(session, server, "/slow")
        _ = try await server.takeRequest()
        // The connection of the slow transfer takes no other one once its time is over.
        repeat { _ = try await Self.get(session, server) } while await server.connectionCount < 3
        gate.open()
        #expect(try await slow == "slow")
        await server.connectionsClosed()
        await server.stop()
    }

    @Test(
        "A zero lifetime, number of requests or tcpUserTimeout, or too long a tcpUserTimeout, is .invalidConfiguration"
    )
    func settings() async throws {
        let changes: [@Sendable (inout SocketTransport.Configuration) -> Void] = [
            { $0.maximumConnectionLifetime = .zero }, { $0.maximumRequestsPerConnection = 0 },
            { $0.tcpUserTimeout = .zero },
            { $0.tcpUserTimeout = .seconds(1 << 40) },
        ]
        for change in changes {
            var configuration = SocketTransport.Configuration()
            change(&configuration)
            let session = Session(transport: .sockets(configuration))
            let code = await AsyncNetError.code {
                _ = try await session.request("http://127.0.0.1:1/").serializing(Data.self).value
            }
            #expect(code == .invalidConfiguration)
        }
    }

    #if os(Linux)
        @Test("A connection's socket has TCP_USER_TIMEOUT of tcpUserTimeout")
        func userTimeout() async throws {
            try await withServer(.text("x")) { (server: MockServer) async throws in
                let session = Session(transport: Self.transport(server) { $0.tcpUserTimeout = .milliseconds(1234) })
                _ = try await Self.get(session, server)
                let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(
                    Int32.init)
                let timeouts = descriptors.compactMap { Self.userTimeout(ofSocket: $0, to: server.port) }
                #expect(timeouts == [1234])
            }
        }

        /// `nil` for a descriptor that is no socket to this port.
        private static func userTimeout(ofSocket socket: Int32, to port: Int) -> UInt32? {
            var address = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &size) }
            }
            guard result == 0, address.sin_family == sa_family_t(AF_INET),
                Int(UInt16(bigEndian: address.sin_port)) == port
            else { return nil }
            var timeout: UInt32 = 0
            var length = socklen_t(MemoryLayout<UInt32>.size)
            // TCP_USER_TIMEOUT of <linux/tcp.h>.
            return getsockopt(socket, Int32(IPPROTO_TCP), 18, &timeout, &length) == 0 ? timeout : nil
        }
    #endif

    // MARK: Connections before requests

    @Test(
        "warmUp() opens connections without a request, and a later request uses one of them",
        arguments: [
            (MockServer.Versions.http1, 2), (.http2, 1), (.both, 1),
        ])
    func warmUp(_ versions: MockServer.Versions, _ expected: Int) async throws {
        let server = try await MockServer.start(tls: .selfSigned, speaks: versions)
        await server.route("/") { _ in .text("x") }
        let transport = Self.transport(server)
        let session = Session(baseURL: server.url("/"), transport: transport)
        for _ in 0..<2 { try await session.warmUp("", connections: 2) }
        #expect(await server.connectionCount == expected)
        #expect(await transport.connections.map(\.isIdle) == Array(repeating: true, count: expected))
        #expect(await server.requestCount == 0)
        #expect(try await Self.get(session, server) == "x")
        #expect(await server.connectionCount == expected)
        await server.stop()
    }

    @Test("warmUp() throws the error of a connection that cannot be opened")
    func failingWarmUp() async throws {
        let server = try await MockServer.start(tls: .selfSigned)
        func code(_ session: Session, _ url: String) async -> AsyncNetError.Code? {
            do throws(AsyncNetError) {
                try await session.warmUp(url, connections: 3)
                return nil
            } catch {
                return error.code
            }
        }
        let sockets = Session(transport: .sockets())
        #expect(await code(sockets, server.url().absoluteString) == .certificateNotTrusted)
        #expect(
            await code(
                Session(transport: .sockets(), configuration: .init(addresses: .publicOnly)), "http://127.0.0.1:1")
                == .addressNotAllowed)
        #expect(await code(sockets, "a b") == .malformedURL)
        #expect(
            await code(Session(transport: StubTransport { _ in .text("x") }), "http://a/") == .unsupportedByTransport)
        let unreadable = Session(transport: .sockets(), configuration: .init(addresses: .allowing(["127.0.0.1/33"])))
        #expect(await code(unreadable, "http://127.0.0.1:1") == .invalidConfiguration)
        let other = SocketTransport.Configuration(
            tlsForHosts: ["b.example": .init(trust: .disabled)], addresses: ["a~b.example:1": ["127.0.0.1"]])
        #expect(await code(Session(transport: .sockets(other)), "https://a~b.example:1") == .malformedURL)
        let trusting = Self.transport(server) { $0.httpVersion = .http2 }
        #expect(await code(Session(transport: trusting), server.url().absoluteString) == .badServerResponse)
        await sockets.finish()
        #expect(await code(sockets, "http://127.0.0.1:1") == .sessionFinished)
        await server.stop()
    }

    @Test("Concurrent warmUp() calls for three connections open three in all")
    func warmUps() async throws {
        try await withServer { (server: MockServer) async throws in
            let transport = Self.transport(server)
            let session = Session(transport: transport)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<5 {
                    group.addTask {
                        try await session.warmUp(server.url(), connections: 3)
                        return await transport.connections.count
                    }
                }
                for try await count in group { #expect(count == 3) }
            }
            // A server accepts in order: once it has responded on a fourth connection, it has accepted the three.
            _ = try await Session(transport: .sockets()).request(server.url()).serializing(Data.self).value
            #expect(await server.connectionCount == 4)
        }
    }

    @Test("A request during warmUp() uses the connection that is being opened")
    func requestDuringWarmUp() async throws {
        try await withServer(.text("x")) { (server: MockServer) async throws in
            let session = Session(transport: Self.transport(server) { $0.maximumConnectionsPerOrigin = 1 })
            async let warm: Void = session.warmUp(server.url(), connections: 5)
            async let text = Self.get(session, server)
            try await warm
            #expect(try await text == "x")
            #expect(await server.connectionCount == 1)
        }
    }

    // MARK: The snapshot

    @Test("A transport's connections have origin, address, version, TLS and number of transfers")
    func snapshot() async throws {
        let server = try await MockServer.start(tls: .selfSigned)
        let gate = Gate()
        await server.route("/") { _ in
            await gate.wait()
            return .text("x")
        }
        let transport = Self.transport(server) { $0.maximumConnectionsPerOrigin = 1 }
        #expect(await transport.connections.isEmpty)
        let session = Session(transport: transport)
        async let first = Self.get(session, server)
        _ = try await server.takeRequest()
        async let second = Self.get(session, server)
        while await transport.connections.first?.waitingRequests == 0 { await Task.yield() }
        let connection = try #require(await transport.connections.first)
        #expect(connection.origin == "https://127.0.0.1:\(server.port)")
        #expect(connection.remoteAddress == "127.0.0.1")
        #expect(connection.httpVersion == "HTTP/1.1")
        #expect(connection.tls?.version == "TLSv1.3")
        #expect(connection.age > .zero)
        #expect(connection.runningTransfers == 1)
        #expect(connection.waitingRequests == 1)
        gate.open()
        _ = try await (first, second)
        #expect(await transport.connections.map(\.isIdle) == [true])
        await session.finish()
        #expect(await transport.connections.isEmpty)
        await server.stop()
    }
}
