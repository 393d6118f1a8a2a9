import AsyncNetTesting
import Foundation
import Synchronization
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors

/// Which connections are open, and how long they lasted.
@Suite("Metrics of connections", .timeLimit(.minutes(5)))
struct ConnectionMetricsTests {
    private func session(_ monitors: [MetricsMonitor]) -> Session {
        Session(transport: .sockets(), configuration: .init(monitors: monitors))
    }

    private func server(_ handler: @escaping Routes.Handler) async throws -> MockServer {
        var routes = Routes()
        routes.on(nil, "*", handler)
        return try await MockServer.start(routes: routes)
    }

    /// The counts of connections, such as `active 1 idle 0 closed 2`.
    private func state(_ monitor: MetricsMonitor) -> String {
        let snapshot = monitor.snapshot()
        let open = ["active", "idle"].map { state in
            "\(state) \(snapshot.openConnections.matching(["http.connection.state": state]).total)"
        }
        return (open + ["closed \(snapshot.connectionDuration.count)"]).joined(separator: " ")
    }

    /// Waits for these counts, which the loop's thread changes only after a transfer's outcome.
    private func wait(for expected: String, _ monitor: MetricsMonitor) async {
        while state(monitor) != expected, !Task.isCancelled { await Task.yield() }
    }

    @Test("A connection counts as active during a transfer, as idle when kept, and as closed with the session")
    func life() async throws {
        let (received, released) = (Gate(), Gate())
        let server = try await server { _ in
            received.open()
            await released.wait()
            return .text("abc")
        }
        let monitor = MetricsMonitor()
        let session = session([monitor])
        async let text = session.request(server.url("/")).serializing(String.self).value
        await received.wait()
        #expect(state(monitor) == "active 1 idle 0 closed 0")
        released.open()
        #expect(try await text == "abc")
        await wait(for: "active 0 idle 1 closed 0", monitor)
        _ = try await session.request(server.url("/")).serializing(String.self).value
        await wait(for: "active 0 idle 1 closed 0", monitor)
        await session.finish()
        await wait(for: "active 0 idle 0 closed 1", monitor)
        let labels = monitor.snapshot().connectionDuration.series.first?.labels
        let port = server.url("/").port.map { "\($0)" }
        #expect(labels == ["server.address": "127.0.0.1", "server.port": port ?? "", "url.scheme": "http"])
        await server.stop()
    }

    @Test("A connection whose request had `Connection: close` counts as closed after the response")
    func closedByCaller() async throws {
        let server = try RawServer(
            """
            c.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 3\\r\\n\\r\\nabc")
            c.recv(1)
            """)
        let monitor = MetricsMonitor()
        let session = session([monitor])
        let request = session.request(try server.url, headers: ["Connection": "close"])
        #expect(try await request.serializing(String.self).value == "abc")
        await wait(for: "active 0 idle 0 closed 1", monitor)
    }

    @Test("An HTTP/2 connection that two sessions share stays active until both sessions' transfers have ended")
    func sharedBySessions() async throws {
        let received = ["/first": Gate(), "/second": Gate()]
        let released = ["/first": Gate(), "/second": Gate()]
        var routes = Routes()
        routes.on(nil, "*") { request in
            received[request.path]?.open()
            await released[request.path]?.wait()
            return .text("abc")
        }
        let server = try await MockServer.start(tls: .selfSigned, speaks: .http2, routes: routes)
        let transport = SocketTransport(.init(tls: .init(trust: .anchors([server.anchor])), eventLoops: 1))
        let monitor = MetricsMonitor()
        let observed = Session(transport: transport, configuration: .init(monitors: [monitor]))
        let other = Session(transport: transport)
        async let first = other.request(server.url("/first")).serializing(String.self).value
        await received["/first"]?.wait()
        async let second = observed.request(server.url("/second")).serializing(String.self).value
        await received["/second"]?.wait()
        released["/first"]?.open()
        #expect(try await first == "abc")
        #expect(state(monitor) == "active 1 idle 0 closed 0")
        released["/second"]?.open()
        #expect(try await second == "abc")
        await wait(for: "active 0 idle 1 closed 0", monitor)
        await transport.shutdown()
        await server.stop()
    }

    @Test("Three concurrent connections of a session are counted by each of its two monitors")
    func several() async throws {
        let (received, released) = (Counter(), Gate())
        let allReceived = Gate()
        let server = try await server { _ in
            if received.next() == 3 { allReceived.open() }
            await released.wait()
            return .text("abc")
        }
        let monitors = [MetricsMonitor(), MetricsMonitor()]
        let session = session(monitors)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask { _ = try await session.request(server.url("/")).serializing(String.self).value }
            }
            await allReceived.wait()
            for monitor in monitors { #expect(state(monitor) == "active 3 idle 0 closed 0") }
            released.open()
            try await group.waitForAll()
        }
        await session.finish()
        for monitor in monitors { await wait(for: "active 0 idle 0 closed 3", monitor) }
        await server.stop()
    }

    @Test("A connection closed by the server or by a cancel no longer counts as open")
    func closed() async throws {
        let received = Gate()
        let server = try await server { request in
            guard request.path == "/stall" else { return MockResponse(headers: ["Connection": "close"]) }
            received.open()
            return .fault(.stall)
        }
        let monitor = MetricsMonitor()
        let session = session([monitor])
        _ = await session.request(server.url("/")).serializing(Data.self).result
        await wait(for: "active 0 idle 0 closed 1", monitor)
        let request = session.request(server.url("/stall"))
        async let result = request.serializing(Data.self).result
        await received.wait()
        await request.cancel()
        _ = await result
        await wait(for: "active 0 idle 0 closed 2", monitor)
        await session.finish()
        #expect(state(monitor) == "active 0 idle 0 closed 2")
        await server.stop()
    }

    @Test("Origins above the limit are counted together in the overflow series")
    func overflow() throws {
        var table = ConnectionTable(limit: 2)
        for number in 0..<10 {
            let url = try #require(URL(string: "http://host\(number % 5).example/"))
            table.counts(of: url).connection().becameActive()
        }
        let counts = table.points.map { $0.counts.open.active }
        #expect(counts.sorted() == [2, 2, 6])
        #expect(table.points.last?.labels == ["otel.metric.overflow": "true"])
    }

    /// Keeps what it is told of a connection.
    private final class Recorder: ConnectionFollower {
        private let all = Locked<[String]>([])
        var steps: [String] { all.withLock { $0 } }

        func becameActive() { all.withLock { $0.append("active") } }
        func becameIdle() { all.withLock { $0.append("idle") } }
        func closed() { all.withLock { $0.append("closed") } }
    }

    @Test(
        "A connection is active from its first running transfer to the end of its last, and closed only once",
        arguments: [
            ("+-+-x", ["active", "idle", "active", "idle", "closed"]), ("++--", ["active", "idle"]),
            ("+x-", ["active", "closed"]), ("++x--x", ["active", "closed"]), ("x+-", ["closed"]),
        ])
    func lives(_ steps: String, _ expected: [String]) {
        let recorder = Recorder()
        let life = ConnectionLife([recorder])
        for step in steps {
            switch step {
            case "+": life.begin()
            case "-": life.end()
            default: life.close()
            }
        }
        #expect(recorder.steps == expected)
    }
}
