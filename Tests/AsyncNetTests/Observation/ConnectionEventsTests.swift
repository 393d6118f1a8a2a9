import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors

@Suite("Events of connections", .timeLimit(.minutes(5)))
struct ConnectionEventsTests {
    /// A monitor as a user writes it, with the steps of connections only.
    private final class Recorder: EventMonitor {
        private let all = Locked<[SessionEvent]>([])

        func receive(_ event: SessionEvent) async { all.withLock { $0.append(event) } }

        var events: [SessionEvent] { all.withLock { $0 } }

        /// The steps of connections, without addresses, times and delays, which differ.
        var steps: String {
            let steps = events.compactMap { event -> String? in
                guard case .connection(let step) = event.event else { return nil }
                switch step {
                case .opened: return "opened"
                case .ponged: return "ponged"
                case .lost(let error, _): return "lost \(error.code)"
                case .closed(let error): return "closed\(error.map { " \($0.code)" } ?? "")"
                default: return step.description
                }
            }
            return steps.joined(separator: ", ")
        }
    }

    /// What a program does with a WebSocket, what the server does, and the steps that a monitor gets.
    struct Scenario: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var reply = MockResponse.webSocket(.echo)
        let steps: String
        let body: @Sendable (WebSocket, Session) async throws -> Void
    }

    private static let scenarios = [
        Scenario(testDescription: "never opened", steps: "") { _, _ in },
        Scenario(
            testDescription: "messages, ping, close",
            steps: "opening, opened, sent text of 2 bytes, received text of 2 bytes, sent binary of 3 bytes, "
                + "received binary of 3 bytes, ponged, sent close 1000, received close 1000, closed"
        ) { socket, _ in
            try await socket.send(.text("hi"))
            _ = try await socket.receive()
            try await socket.send(.binary(Data([1, 2, 3])))
            _ = try await socket.receive()
            try await socket.ping()
            try await socket.close()
        },
        Scenario(
            testDescription: "refused", reply: .status(403), steps: "opening, closed webSocketHandshakeFailed"
        ) { socket, _ in _ = await AsyncNetError.code { try await socket.open() } },
        Scenario(
            testDescription: "closed by the server", reply: .webSocket(.closing(.init(rawValue: 4001))),
            steps: "opening, opened, received close 4001, sent close 4001, closed webSocketClosed"
        ) { socket, _ in _ = await socket.received() },
        Scenario(
            testDescription: "the server violates the protocol",
            reply: .webSocket(.sending(.text("hi")), fault: .maskedFrame),
            steps: "opening, opened, sent close 1002, closed webSocketProtocolViolated"
        ) { socket, _ in _ = await socket.received() },
        Scenario(testDescription: "cancelled", steps: "opening, opened, closed cancelled") { socket, _ in
            try await socket.open()
            await socket.cancel()
            _ = await socket.received()
        },
        Scenario(
            testDescription: "the session ends", steps: "opening, opened, closed sessionFinished"
        ) { socket, session in
            try await socket.open()
            await session.finish()
            _ = await socket.received()
        },
    ]

    @Test("A WebSocket sends an event for each step, and one for its end", arguments: scenarios)
    func webSocket(_ scenario: Scenario) async throws {
        let recorder = Recorder()
        try await withWebSockets(scenario.reply, configuration: .init(monitors: [recorder])) {
            (server: MockServer, session: Session) async throws in
            try await scenario.body(session.webSocket(server.webSocketURL()), session)
        }
        #expect(recorder.steps == scenario.steps)
    }

    @Test("A WebSocket that reconnects has one end, and each handshake is a request")
    func reconnection() async throws {
        let (clock, recorder) = (TestClock(), Recorder())
        try await withWebSockets(
            configuration: .init(monitors: [recorder], clock: clock)
        ) { (server: MockServer, session: Session) async throws in
            let socket = session.webSocket(
                server.webSocketURL(), reconnection: .always(limit: 1))
            await server.enqueue(.webSocket { await $0.end() })
            server.on(.get, "/", replies: .webSocket(.closing(.normalClosure)))
            async let received = socket.received()
            await clock.advanceToNextDeadline()
            #expect(await received.error == nil)
        }
        #expect(
            recorder.steps == "opening, opened, lost connectionLost, opening, opened, "
                + "received close 1000, sent close 1000, closed")
        let handshakes = recorder.events.compactMap { event -> RequestID? in
            if case .connection(.opened(_, let id)) = event.event { id } else { nil }
        }
        #expect(handshakes.count == 2)
        for id in handshakes {
            let steps = recorder.events.filter { $0.requestID == id }
            #expect(steps.allSatisfy { $0.kind == .data })
            #expect(steps.contains { if case .finished(nil) = $0.event { true } else { false } })
        }
        let ids = Set(recorder.events.filter { $0.kind == .webSocket }.map(\.requestID))
        #expect(ids.count == 1)
    }

    @Test("A raw stream sends an event for each step, even if it cannot be opened")
    func streams() async throws {
        let recorder = Recorder()
        let stub = StubTransport(connections: { connection in
            while let bytes = try await connection.receive() { try await connection.write(bytes) }
        })
        let session = Session(transport: stub, configuration: .init(monitors: [recorder]))
        let connection = try await session.connect(to: "a.example", port: 1, tls: .none)
        try await connection.write(Data([1, 2]))
        _ = try await connection.read()
        await connection.close()
        await session.finish()
        #expect(recorder.steps == "opening, opened, sent 2 bytes, received 2 bytes, closed")
        #expect(recorder.events.allSatisfy { $0.kind == .connection })

        let other = Recorder()
        let refusing = Session(transport: StubTransport(), configuration: .init(monitors: [other]))
        _ = await AsyncNetError.code { _ = try await refusing.connect(to: "a.example", port: 1, tls: .none) }
        await refusing.finish()
        #expect(other.steps == "opening, closed unsupportedByTransport")
    }

    @Test("Metrics do not count a WebSocket as a request, and minimal observers get no event for its messages")
    func others() async throws {
        let (metrics, quiet) = (MetricsMonitor(), Recorder())
        try await withWebSockets(configuration: .init(monitors: [metrics, quiet])) {
            (server: MockServer, session: Session) async throws in
            let events = session.events(.minimal)
            let socket = session.webSocket(server.webSocketURL())
            try await socket.send(.text("hi"))
            _ = try await socket.receive()
            try await socket.close()
            await session.finish()
            var steps: [String] = []
            for await event in events {
                if case .connection(let step) = event.event { steps.append("\(step)") }
            }
            #expect(steps.count == 5)
            #expect(steps.allSatisfy { !$0.contains("bytes") })
        }
        #expect(metrics.snapshot().requestDuration.count == 1)
    }
}
