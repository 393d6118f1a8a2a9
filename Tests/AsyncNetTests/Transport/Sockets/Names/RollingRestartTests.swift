import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// Five servers behind one name, as a headless service of Kubernetes has them.
@Suite("Servers behind one name", .timeLimit(.minutes(2)))
struct RollingRestartTests {
    private static let numbers: [UInt8] = [2, 3, 4, 5, 6]
    private let resolver = StandardResolver.rotating(
        over: .fixed(["service.test": Self.numbers.map { "127.0.0.\($0)" }]))

    private static func start(_ number: UInt8, port: Int) async throws -> MockServer {
        let server = try await MockServer.start(on: .loopback(number), port: port)
        await server.route("/") { _ in .status(200) }
        return server
    }

    /// One port of all addresses. It is given to each server, also to the first: it could not be had again otherwise while
    /// connections of a server before linger.
    private static func startAll() async throws -> [MockServer] {
        while true {
            let chooser = try await MockServer.start(on: .loopback(numbers[0]))
            await chooser.stop()
            var servers: [MockServer] = []
            do {
                for number in numbers { servers.append(try await start(number, port: chooser.port)) }
                return servers
            } catch {
                // Another program has the port on one of the addresses.
                for server in servers { await server.stop() }
            }
        }
    }

    @Test("Connections to a name go to its servers in turn, without the one that is down")
    func turns() async throws {
        let servers = try await Self.startAll()
        let session = Session(transport: .sockets(.init(resolver: resolver)))
        let url = "http://service.test:\(servers[0].port)/"
        let ask = {
            let response = await session.request(url, headers: ["Connection": "close"]).serializing(Data.self).response
            #expect(response.error?.code == nil)
        }
        for _ in 0..<10 { await ask() }
        for server in servers { #expect(await server.requestCount == 2) }
        await servers[2].stop()
        for _ in 0..<10 { await ask() }
        // The server after the one that is down has its turns too.
        let counts = [2, 2, 0, 4, 2]
        for (server, count) in zip(servers, counts) where count > 0 { #expect(await server.requestCount == 2 + count) }
        for server in servers { await server.stop() }
    }

    @Test("No idempotent request fails in a rolling restart, and each restarted server gets requests again")
    func rollingRestart() async throws {
        var servers = try await Self.startAll()
        let port = servers[0].port
        let session = Session(
            transport: .sockets(
                .init(httpVersion: .http1, maximumConnectionLifetime: .milliseconds(100), resolver: resolver)),
            configuration: .init(interceptors: [RetryPolicy(backoff: Backoff(scale: .milliseconds(1)))]))
        let restarts = Counter()
        let load = Task {
            await withTaskGroup(of: [AsyncNetError.Code?].self) { group in
                for _ in 0..<32 {
                    group.addTask {
                        var outcomes: [AsyncNetError.Code?] = []
                        while restarts.value < Self.numbers.count {
                            // A server that has just started responds 404 until it has its route.
                            let request = session.request("http://service.test:\(port)/")
                            outcomes.append(
                                await request.validate(statusCode: [200, 404]).serializing(Data.self).response.error?
                                    .code)
                        }
                        return outcomes
                    }
                }
                return await group.reduce(into: []) { $0 += $1 }
            }
        }
        for (index, number) in Self.numbers.enumerated() {
            await servers[index].requests(atLeast: 20)
            await servers[index].stop()
            servers[index] = try await Self.start(number, port: port)
            await servers[index].requests(atLeast: 20)
            restarts.add()
        }
        let outcomes = await load.value
        #expect(outcomes.count >= 200)
        #expect(outcomes.compactMap(\.self) == [])
        for server in servers { await server.stop() }
    }
}
