import AsyncNet
import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNetTestSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What clients see through a proxy, over each transport.
@Suite("FaultProxy", .timeLimit(.minutes(5)))
struct FaultProxyTests {
    typealias Fault = FaultProxy.Fault

    enum Client: CaseIterable { case libcurl, urlSession }

    static let body = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })

    private func session(_ client: Client) -> Session {
        switch client {
        case .libcurl: Session(transport: .libcurl(), configuration: .init(retryBudget: nil))
        case .urlSession: Session(transport: .urlSession, configuration: .init(retryBudget: nil))
        }
    }

    private func withProxy(
        _ client: Client, seed: UInt64 = 0, body: (MockServer, FaultProxy, Session) async throws -> Void
    ) async throws {
        try await withServer { (server: MockServer) async throws in
            server.on(nil, "/echo") { request in .data(request.body) }
            server.on(nil, "/") { _ in .text("hello") }
            server.on(nil, "/close") { _ in .text("bye", headers: ["Connection": "close"]) }
            let proxy = try await FaultProxy.start(to: server.url(), seed: seed)
            let session = session(client)
            do { try await body(server, proxy, session) } catch {
                await proxy.stop()
                throw error
            }
            await session.finish()
            await proxy.stop()
            #expect(proxy.openConnectionCount == 0)
        }
    }

    private func echo(_ session: Session, _ proxy: FaultProxy) async -> Result<Data, AsyncNetError> {
        let request = session.upload(.data(Self.body), to: proxy.url("/echo"), method: .put)
        return await request.serializing(Data.self).result
    }

    @Test("Without faults the proxy passes bodies whole and its connections are reused", arguments: Client.allCases)
    func plain(_ client: Client) async throws {
        try await withProxy(client) { (server: MockServer, proxy: FaultProxy, session: Session) async throws in
            for _ in 0..<3 { #expect(try await echo(session, proxy).get() == Self.body) }
            #expect(proxy.connectionCount == 1)
            #expect(await server.connectionCount == 1)
            #expect(proxy.url("a?b=1").absoluteString == "http://127.0.0.1:\(proxy.port)/a?b=1")
        }
    }

    @Test(
        "Faults that lose no bytes let a megabyte pass whole in both directions",
        arguments: [
            .latency(.milliseconds(2), jitter: .milliseconds(3)), .bandwidth(bytesPerSecond: 100_000_000),
            .slowClose(delay: .milliseconds(2)), .slicer(averageSize: 1500, variation: 1400),
            .slicer(averageSize: 60_000, delay: .microseconds(100)), .limitData(bytes: 10_000_000),
        ] as [Fault], Client.allCases)
    func lossless(_ fault: Fault, _ client: Client) async throws {
        try await withProxy(client) { (_, proxy: FaultProxy, session: Session) async throws in
            for direction in FaultProxy.Direction.allCases { proxy.add(fault, direction) }
            for _ in 0..<2 { #expect(try await echo(session, proxy).get() == Self.body) }
        }
    }

    /// A client that still sends when the connection is closed may see that as a loss.
    @Test(
        "Each fault that loses bytes or connections ends the request with the error of that fault",
        arguments: [
            (.timeout(after: .milliseconds(1)), .downstream, [.emptyReply, .connectionLost]),
            (.timeout(after: .milliseconds(1)), .upstream, [.emptyReply, .connectionLost]),
            (.resetPeer(), .downstream, [.connectionLost]), (.resetPeer(), .upstream, [.connectionLost]),
            (.resetPeer(after: .milliseconds(1)), .downstream, [.connectionLost]),
            (.limitData(bytes: 100_000), .downstream, [.bodyEndedEarly]),
            (.limitData(bytes: 0), .downstream, [.emptyReply, .connectionLost]),
            (.limitData(bytes: 10), .upstream, [.emptyReply, .connectionLost]),
            (.limitData(bytes: 100_000), .upstream, [.emptyReply, .connectionLost]),
            (.down, .downstream, [.cannotConnect]),
            (.down, .upstream, [.cannotConnect]),
        ] as [(Fault, FaultProxy.Direction, [AsyncNetError.Code])], Client.allCases)
    func errors(
        _ fault: (Fault, FaultProxy.Direction, [AsyncNetError.Code]), _ client: Client
    ) async throws {
        try await withProxy(client) { (_, proxy: FaultProxy, session: Session) async throws in
            proxy.add(fault.0, fault.1)
            let code = await echo(session, proxy).failure?.code
            #expect(code.map { fault.2.contains($0) } == true, "\(code?.description ?? "no error")")
            proxy.removeAll()
            #expect(try await echo(session, proxy).get() == Self.body)
        }
    }

    @Test(".halfOpen drops the bytes of its direction, and no bytes of the other direction", arguments: Client.allCases)
    func halfOpen(_ client: Client) async throws {
        try await withProxy(client) { (server: MockServer, proxy: FaultProxy, session: Session) async throws in
            let cut = proxy.add(.halfOpen, .downstream)
            let lost = Task { await session.request(proxy.url(), method: .post).serializing(Data.self).result }
            // The server has received the request, and the client hears nothing of the response until the cut ends.
            #expect(try await server.takeRequest().method == .post)
            await proxy.droppedBytes(atLeast: 1)
            proxy.remove(cut)
            await server.connectionsClosed()
            #expect(await lost.value.failure?.code == .connectionLost)

            proxy.add(.halfOpen, .upstream)
            let first = await loseRequest(session, proxy)
            first.cancel()
            #expect(await first.value.failure?.code == .cancelled)
            // The proxy has seen that end before the bytes of another client; the server has not.
            let second = await loseRequest(session, proxy)
            await server.connections(atLeast: 3)
            #expect(await server.openConnectionCount == 2)
            #expect(await server.requestCount == 1)
            second.cancel()
            _ = await second.value
        }
    }

    /// Begins a request, whose bytes the proxy has dropped when this returns.
    private func loseRequest(_ session: Session, _ proxy: FaultProxy) async -> Task<Result<Data, AsyncNetError>, Never>
    {
        let before = proxy.droppedBytes
        let task = Task { await session.request(proxy.url(), method: .post).serializing(Data.self).result }
        await proxy.droppedBytes(atLeast: before + 1)
        return task
    }

    @Test("Bytes held back by a fault pass when the fault is removed or changed", arguments: Client.allCases)
    func release(_ client: Client) async throws {
        for fault in [Fault.latency(.seconds(1000)), .bandwidth(bytesPerSecond: 1), .resetPeer(after: .seconds(1000))] {
            try await withProxy(client) { (server: MockServer, proxy: FaultProxy, session: Session) async throws in
                let id = proxy.add(fault, .downstream)
                let task = Task { try await session.request(proxy.url()).serializing(String.self).value }
                _ = try await server.takeRequest()
                proxy.change(id, to: .slicer(averageSize: 3))
                #expect(try await task.value == "hello")
                proxy.remove(id)
                #expect(try await session.request(proxy.url()).serializing(String.self).value == "hello")
            }
        }
    }

    @Test("A proxy with .down refuses connections, and accepts them when .down is removed")
    func down() async throws {
        try await withProxy(.libcurl) { (_, proxy: FaultProxy, session: Session) async throws in
            for _ in 0..<10 {
                #expect(try await session.request(proxy.url()).serializing(String.self).value == "hello")
                let down = proxy.add(.down)
                #expect(proxy.openConnectionCount == 0)
                let result = await session.request(proxy.url(), method: .post).serializing(String.self).result
                #expect(result.failure?.code == .cannotConnect)
                proxy.remove(down)
            }
            #expect(proxy.connectionCount == 10)
        }
    }

    @Test("Seed and share decide which connections have a fault")
    func shares() async throws {
        try await withProxy(.libcurl, seed: 5) { (_, proxy: FaultProxy, session: Session) async throws in
            proxy.add(.resetPeer(), .upstream, share: 0.5)
            var table = FaultTable(seed: 5)
            _ = table.add(.resetPeer(), .upstream, share: 0.5)
            var codes: [AsyncNetError.Code?] = []
            for _ in 0..<40 {
                let request = session.request(proxy.url("/close"), method: .post)
                codes.append(await request.serializing(Data.self).response.error?.code)
            }
            let expected = (1...40).map { number -> AsyncNetError.Code? in
                table.faults(of: number, .upstream).isEmpty ? nil : .connectionLost
            }
            #expect(codes == expected)
            #expect(Set(codes) == [.connectionLost, nil])
        }
    }

    @Test("Two hundred concurrent requests through the proxy each receive their own body", arguments: Client.allCases)
    func concurrency(_ client: Client) async throws {
        try await withProxy(client) { (_, proxy: FaultProxy, session: Session) async throws in
            proxy.add(.slicer(averageSize: 300, variation: 299), .downstream)
            proxy.add(.latency(.microseconds(1), jitter: .milliseconds(2)), .upstream)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let body = Data(repeating: UInt8(truncatingIfNeeded: number), count: 1000 + number)
                        let request = session.upload(.data(body), to: proxy.url("/echo"), method: .put)
                        return try await request.serializing(Data.self).value == body
                    }
                }
                for try await isOwn in group { #expect(isOwn) }
            }
        }
    }

    @Test("TLS passes through the proxy, and .resetPeer ends a TLS connection")
    func tls() async throws {
        let server = try await MockServer.start(tls: .selfSigned)
        server.on(nil, "/echo") { request in .data(request.body) }
        let proxy = try await FaultProxy.start(to: server.url())
        proxy.add(.slicer(averageSize: 700, variation: 600), .downstream)
        let session = Session(transport: .libcurl(tls: .init(trust: .anchors([server.anchor]))))
        #expect(proxy.url().scheme == "https")
        #expect(try await echo(session, proxy).get() == Self.body)
        let reset = proxy.add(.resetPeer(), .downstream)
        // The connection is reset in use, then another one in its handshake.
        let code = await echo(session, proxy).failure?.code
        let isReset = [.connectionLost, .tlsHandshakeFailed].contains(code)
        #expect(isReset, "\(code?.description ?? "no error")")
        proxy.remove(reset)
        await session.finish()
        await proxy.stop()
        await server.stop()
    }

    @Test("A server's reset, close or refusal reaches the client through the proxy")
    func serverFaults() async throws {
        try await withProxy(.libcurl) { (server: MockServer, proxy: FaultProxy, session: Session) async throws in
            proxy.add(.latency(.milliseconds(1)), .downstream)
            for (fault, code) in [
                (.resetMidBody(after: 10), .connectionLost), (.truncate(after: 10), .bodyEndedEarly),
                (.closeBeforeHead, .emptyReply),
            ] as [(MockResponse.Fault, AsyncNetError.Code)] {
                await server.enqueue(.fault(fault))
                let response = await session.request(proxy.url(), method: .post).serializing(Data.self).response
                #expect(response.error?.code == code)
                #expect(response.error?.code == .emptyReply || response.metrics.receivedBytes == 10)
            }
            await server.stop()
            let refused = await session.request(proxy.url(), method: .post).serializing(Data.self).result
            // The reset may arrive with the end of the connection's handshake.
            let isReset = [.connectionLost, .cannotConnect].contains(refused.failure?.code)
            #expect(isReset, "\(refused)")
        }
    }

    @Test("stop() and the release of the proxy close its connections and port, whatever fault holds bytes back")
    func stopping() async throws {
        try await withServer { (server: MockServer) async throws in
            server.on(nil, "/") { _ in .text("hello") }
            for isDropped in [false, true] {
                var proxy: FaultProxy? = try await FaultProxy.start(to: server.url())
                let url = try #require(proxy?.url())
                proxy?.add(isDropped ? .halfOpen : .latency(.seconds(1000)), .downstream)
                proxy?.add(.slowClose(delay: .seconds(1000)), .upstream)
                let task = Task { await Session().request(url, method: .post).serializing(Data.self).result }
                _ = try await server.takeRequest()
                if !isDropped { await proxy?.stop() }
                proxy?.add(.down)
                proxy = nil
                #expect(await task.value.failure != nil)
                await server.connectionsClosed()
                let later = await Session().request(url).serializing(Data.self).result
                #expect(later.failure?.code == .cannotConnect)
            }
        }
    }

    @Test("A proxy listens on IPv6, forwards to IPv6, and refuses a URL without a host or a known port")
    func addresses() async throws {
        let server = try await MockServer.start(on: .ipv6)
        server.on(.get, "/", replies: .text("six"))
        let proxy = try await FaultProxy.start(to: server.url(), on: .ipv6)
        #expect(proxy.url().absoluteString == "http://[::1]:\(proxy.port)/")
        #expect(try await Session().request(proxy.url()).serializing(String.self).value == "six")
        await proxy.stop()
        await server.stop()
        for text in ["file:///a", "odd://127.0.0.1/"] {
            let url = try #require(URL(string: text))
            await #expect(throws: FaultProxy.Failure.self) { _ = try await FaultProxy.start(to: url) }
        }
    }

    #if os(Linux)
        /// In a process of its own: other tests open and close hundreds of sockets meanwhile.
        @Test("A thousand connections that end at random leave no file descriptor open")
        func descriptors() async {
            await #expect(processExitsWith: .success) {
                func open() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
                let server = try await MockServer.start()
                server.on(nil, "/") { _ in .data(Data(count: 20_000), headers: ["Connection": "close"]) }
                try await useAndStop(server, requests: 20)
                let before = try open()
                let connections = try await useAndStop(server, requests: 1200)
                await server.stop()
                #expect(connections >= 1000)
                #expect(try open() <= before)
            }
        }
    #endif
}

/// Sends requests through a proxy with all kinds of faults, on a connection each, and cancels some of them.
///
/// - Returns: The number of the proxy's connections.
@discardableResult
private func useAndStop(_ server: MockServer, requests: Int) async throws -> Int {
    let proxy = try await FaultProxy.start(to: server.url(), seed: 9)
    proxy.add(.slicer(averageSize: 1000, variation: 900), .downstream, share: 0.3)
    proxy.add(.latency(.milliseconds(1), jitter: .milliseconds(3)), .upstream, share: 0.3)
    proxy.add(.limitData(bytes: 5000), .downstream, share: 0.1)
    proxy.add(.resetPeer(), .downstream, share: 0.1)
    proxy.add(.timeout(after: .milliseconds(3)), .upstream, share: 0.1)
    proxy.add(.down, share: 0.05)
    let session = Session(transport: .libcurl(), configuration: .init(retryBudget: nil))
    await withTaskGroup(of: Void.self) { group in
        for number in 0..<requests {
            group.addTask {
                let request = session.request(proxy.url(), method: .post)
                let task = Task { await request.serializing(Data.self).result }
                if number % 7 == 0 {
                    await Task.yield()
                    task.cancel()
                }
                _ = await task.value
            }
        }
    }
    await session.finish()
    await proxy.stop()
    return proxy.connectionCount
}
