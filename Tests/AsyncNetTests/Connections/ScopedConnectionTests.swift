import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// A connection that a closure gets ends with the closure.
@Suite("Scoped connections", .timeLimit(.minutes(5)))
struct ScopedConnectionTests {
    private struct Refusal: Error {}

    /// A value that must not leave its actor.
    private final class Notes { var texts: [String] = [] }

    enum Ending: CaseIterable { case value, error, cancel }

    @Test(
        "withWebSocket sends a close frame with code 1000 when its closure returns or throws",
        arguments: [Ending.value, .error])
    func webSocketEnds(_ ending: Ending) async throws {
        let closed = Gate()
        let reply = MockResponse.webSocket { socket in
            while let message = try await socket.receive() { try await socket.send(message) }
            if await socket.closeCode == .normalClosure { closed.open() }
        }
        try await withWebSockets(reply) { (server: MockServer, session: Session) async throws in
            let result = await self.result {
                try await session.withWebSocket(server.webSocketURL()) { socket in
                    try await socket.send(.text("hi"))
                    let answer = try await socket.receive()
                    if ending == .error { throw Refusal() }
                    return answer
                }
            }
            await closed.wait()
            switch ending {
            case .value: #expect(try result.get() == .text("hi"))
            default: #expect(throws: Refusal.self) { try result.get() }
            }
        }
    }

    @Test("withWebSocket closes the WebSocket and throws .cancelled when its task is cancelled")
    func webSocketIsCancelled() async throws {
        try await withWebSockets { (server: MockServer, session: Session) async throws in
            let opened = Gate()
            let kept = Locked<WebSocket?>(nil)
            let task = Task {
                try await session.withWebSocket(server.webSocketURL()) { socket in
                    kept.withLock { $0 = socket }
                    opened.open()
                    return try await socket.receive()
                }
            }
            await opened.wait()
            task.cancel()
            #expect(await AsyncNetError.code { _ = try await task.value } == .cancelled)
            let socket = try #require(kept.withLock { $0 })
            #expect(await AsyncNetError.code { try await socket.send(.text("late")) } == .webSocketClosed)
            await server.connectionsClosed()
        }
    }

    @Test("withWebSocket's closure can read closeCode after its loop over the messages, also if the loop throws")
    func closeCode() async throws {
        let own = WebSocketCloseCode(rawValue: 4001)
        for code in [own, .normalClosure] {
            let reply = MockResponse.webSocket { socket in
                _ = try await socket.receive()
                try await socket.close(code, reason: "bye")
            }
            try await withWebSockets(reply) { (server: MockServer, session: Session) async throws in
                let (error, seen) = try await session.withWebSocket(server.webSocketURL()) { socket in
                    try await socket.send(.text("hi"))
                    let error = await AsyncNetError.code { for try await _ in socket.messages {} }
                    return (error, await socket.closeCode)
                }
                #expect(seen == code && error == (code == own ? .webSocketClosed : nil))
            }
        }
    }

    @Test("withWebSocket throws the error of a refused handshake without calling its closure")
    func refusedWebSocket() async throws {
        try await withWebSockets(.status(403)) { (server: MockServer, session: Session) async throws in
            let code = await AsyncNetError.code {
                try await session.withWebSocket(server.webSocketURL()) { _ in _ = Issue.record("called") }
            }
            #expect(code == .webSocketHandshakeFailed)
        }
    }

    @Test(
        "withConnection closes the raw stream when its closure ends, after the written bytes unless it is cancelled",
        arguments: Ending.allCases)
    func streamEnds(_ ending: Ending) async throws {
        let server = try RawServer(
            """
            data = b""
            try:
                while bytes := socket.socket.recv(c, 65536): data += bytes
            except OSError: pass
            c.close()
            report, _ = l.accept()
            report.sendall(data)
            report.close()
            """, readsHead: false)
        let session = Session(transport: .sockets())
        let written = Gate()
        let task = Task {
            try await session.withConnection(to: "127.0.0.1", port: server.port, tls: .none) { connection in
                try await connection.write(Data("last words".utf8))
                written.open()
                if ending == .error { throw Refusal() }
                return ending == .cancel ? try await connection.read() : Data()
            }
        }
        await written.wait()
        if ending == .cancel { task.cancel() }
        let result = await task.result
        switch ending {
        case .value: #expect(try result.get() == Data())
        case .error: #expect(throws: Refusal.self) { try result.get() }
        case .cancel: #expect(AsyncNetError.code { _ = try result.get() } == .cancelled)
        }
        let report = try await session.withConnection(to: "127.0.0.1", port: server.port, tls: .none) { connection in
            var data = Data()
            for try await bytes in connection.bytes { data += bytes }
            return data
        }
        // The server has responded, so that the first connection is closed. A cancel may drop what was written.
        if ending != .cancel { #expect(report == Data("last words".utf8)) }
        await session.finish()
    }

    @Test("withWebSocket's closure can use and return a value of the caller's actor") @MainActor
    func isolation() async throws {
        try await withWebSockets { (server: MockServer, session: Session) async throws in
            let notes = Notes()
            let same = try await session.withWebSocket(server.webSocketURL()) { socket in
                try await socket.send(.text("mine"))
                MainActor.assertIsolated()
                if case .text(let text) = try await socket.receive() { notes.texts.append(text) }
                return notes
            }
            #expect(same.texts == ["mine"])
        }
    }

    private func result<Value>(_ body: () async throws -> Value) async -> Result<Value, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}
