import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// WebSockets and raw streams that are ended from outside at each of their steps in turn.
@Suite("Connections that are cancelled at each step", .timeLimit(.minutes(5)))
struct ConnectionCancelTests {
    enum Way: CaseIterable {
        /// The task that uses the connection is cancelled.
        case task
        /// The connection is cancelled; a raw stream is closed.
        case connection
        /// The session ends.
        case session
    }

    /// What is run when a step is reached, and what runs then.
    private final class Stop: Sendable {
        private let step: Int
        private let state = Locked<(action: (@Sendable () async -> Void)?, task: Task<Void, Never>?)>((nil, nil))

        init(at step: Int) { self.step = step }

        func set(_ action: @escaping @Sendable () async -> Void) { state.withLock { $0.action = action } }

        func reached(_ number: Int) {
            guard number == step else { return }
            state.withLock { state in
                guard let action = state.action else { return }
                state.task = Task { await action() }
            }
        }

        /// Whether the step was reached; returns when the action has ended.
        func hasHappened() async -> Bool {
            let task = state.withLock { $0.task }
            await task?.value
            return task != nil
        }
    }

    /// Stops a conversation at its first step, then at its second, until there are no more.
    ///
    /// - Parameter talk: Gets the session and what stops it; returns the error.
    private func atEachStep(
        of transport: () throws -> any DuplexTransport,
        _ talk: (Session, _ stop: Stop) async throws -> AsyncNetError.Code?
    ) async throws -> Int {
        for step in 1...1000 {
            let stop = Stop(at: step)
            let session = Session(transport: SteppedTransport(over: try transport()) { stop.reached($0) })
            let events = session.events(.minimal)
            let code = try await talk(session, stop)
            #expect(
                [nil, .cancelled, .sessionFinished, .webSocketClosed, .connectionLost].contains(code), "step \(step)")
            await session.finish()
            var ends = 0
            for await event in events { if case .connection(.closed) = event.event { ends += 1 } }
            #expect(ends == 1, "step \(step)")
            guard await stop.hasHappened() else {
                #expect(code == nil)
                return step
            }
        }
        return 1000
    }

    @Test(
        "A WebSocket that is cancelled at any step reports one end, and leaves no connection open",
        arguments: Way.allCases)
    func webSocket(_ way: Way) async throws {
        let server = try await MockServer.start()
        server.on(.get, "/", replies: .webSocket(.echo))
        let steps = try await atEachStep(of: { SocketTransport.sockets() }) { session, stop in
            let (socket, ready) = (session.webSocket(server.webSocketURL()), Gate())
            let task = Task {
                await ready.wait()
                return await AsyncNetError.code {
                    try await socket.send(.text("hi"))
                    _ = try await socket.receive()
                    try await socket.ping()
                    try await socket.close()
                }
            }
            switch way {
            case .task: stop.set { task.cancel() }
            case .connection: stop.set { await socket.cancel() }
            case .session: stop.set { await session.finish() }
            }
            ready.open()
            let code = await task.value
            await socket.cancel()
            _ = await socket.received()
            return code
        }
        #expect(steps > 10)
        await server.connectionsClosed()
        await server.stop()
    }

    @Test("A raw stream that is cancelled at any step reports one end", arguments: Way.allCases)
    func stream(_ way: Way) async throws {
        let steps = try await atEachStep(
            of: {
                StubTransport(connections: { connection in
                    while let bytes = try await connection.receive() { try await connection.write(bytes) }
                })
            },
            { session, stop in
                let opened = Locked<StreamConnection?>(nil)
                let ready = Gate()
                let task = Task {
                    await ready.wait()
                    return await AsyncNetError.code {
                        let connection = try await session.connect(to: "a.example", port: 1, tls: .none)
                        opened.withLock { $0 = connection }
                        try await connection.write(Data("hi".utf8))
                        _ = try await connection.read()
                        try await connection.finishWriting()
                        while try await connection.read() != nil {}
                        await connection.close()
                    }
                }
                switch way {
                case .task: stop.set { task.cancel() }
                case .connection: stop.set { await opened.withLock { $0 }?.close() }
                case .session: stop.set { await session.finish() }
                }
                ready.open()
                let code = await task.value
                await opened.withLock { $0.take() }?.close()
                return code
            })
        #expect(steps > 6)
    }
}
