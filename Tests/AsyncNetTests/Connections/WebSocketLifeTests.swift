import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// Pings, cancellation, reconnection and the session's end.
@Suite("WebSocket: pings, cancellation, reconnection", .timeLimit(.minutes(5)))
struct WebSocketLifeTests {
    @Test("ping() returns the round-trip time, and the pong to a server's ping has the ping's payload")
    func ping() async throws {
        let answered = Gate()
        let reply = MockResponse.webSocket { socket in
            try await socket.ping(Data("are you there".utf8))
            while await socket.pongs.isEmpty { guard try await socket.receive() != nil else { break } }
            if await socket.pongs == [Data("are you there".utf8)] { answered.open() }
        }
        try await withWebSockets(reply) { (server: MockServer, session: Session) async throws in
            let socket = session.webSocket(server.webSocketURL())
            #expect(try await socket.ping() > .zero)
            try await socket.send(.text("makes the server look"))
            await answered.wait()
            let received = await socket.received()
            #expect(received.error == nil)
        }
    }

    @Test("A WebSocket ends with .timedOut after missedPongLimit automatic pings without a pong")
    func missedPongs() async throws {
        let clock = TestClock()
        try await withWebSockets(.webSocket(.silent, fault: .noPong), configuration: .init(clock: clock)) {
            (server: MockServer, session: Session) async throws in
            let socket = session.webSocket(
                server.webSocketURL(), options: .init(pingInterval: .seconds(10), missedPongLimit: 2))
            try await socket.open()
            async let received = socket.received()
            for _ in 0..<3 { clock.advance(by: .seconds(10)) }
            while await socket.closeCode == nil {
                clock.advance(by: .seconds(10))
                await Task.yield()
            }
            #expect(await received.error?.code == .timedOut)
        }
    }

    @Test("ping() without a pong ends when its task is cancelled or the WebSocket is closed")
    func endOfPing() async throws {
        try await withWebSockets(.webSocket(.silent, fault: .noPong)) {
            (server: MockServer, session: Session) async throws in
            let socket = session.webSocket(server.webSocketURL())
            try await socket.open()
            let cancelled = Task { await AsyncNetError.code { try await socket.ping() } }
            cancelled.cancel()
            #expect(await cancelled.value == .cancelled)
            let waiting = Task { await AsyncNetError.code { try await socket.ping() } }
            await Task.yield()
            try await socket.close()
            #expect(await waiting.value == .webSocketClosed)
        }
    }

    @Test("A cancelled receive() loses no message, and a cancelled send() sends none")
    func cancelledCalls() async throws {
        try await withWebSockets { (server: MockServer, session: Session) async throws in
            let socket = session.webSocket(server.webSocketURL())
            try await socket.open()
            let receiving = Task { await AsyncNetError.code { _ = try await socket.receive() } }
            receiving.cancel()
            #expect(await receiving.value == .cancelled)
            let sending = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await AsyncNetError.code { try await socket.send(.text("not this")) }
            }
            #expect(await sending.value == .cancelled)
            try await socket.send(.text("this"))
            #expect(try await socket.receive() == .text("this"))
        }
    }

    @Test("cancel() ends waiting calls and later calls with .cancelled, and closes the connection")
    func cancel() async throws {
        try await withWebSockets(.webSocket(.silent)) { (server: MockServer, session: Session) async throws in
            let socket = session.webSocket(server.webSocketURL())
            try await socket.open()
            async let received = socket.received()
            await socket.cancel()
            #expect(await received.error?.code == .cancelled)
            #expect(await AsyncNetError.code { try await socket.send(.text("late")) } == .cancelled)
            await server.connectionsClosed()
        }
    }

    @Test("Releasing a WebSocket without close() closes its connection")
    func release() async throws {
        try await withWebSockets(.webSocket(.silent)) { (server: MockServer, session: Session) async throws in
            var socket: WebSocket? = session.webSocket(server.webSocketURL())
            try await socket?.open()
            #expect(await server.openConnectionCount == 1)
            socket = nil
            await server.connectionsClosed()
        }
    }

    @Test("finish() of a session ends its open WebSockets, and later ones, with .sessionFinished")
    func finish() async throws {
        try await withWebSockets(.webSocket(.silent)) { (server: MockServer, session: Session) async throws in
            let socket = session.webSocket(server.webSocketURL())
            try await socket.open()
            async let received = socket.received()
            await session.finish()
            #expect(await received.error?.code == .sessionFinished)
            let other = session.webSocket(server.webSocketURL())
            #expect(await AsyncNetError.code { try await other.open() } == .sessionFinished)
        }
    }

    @Test("cancelAll() of a session cancels a WebSocket that is being opened, but not one that is open")
    func cancelAll() async throws {
        try await withWebSockets { (server: MockServer, session: Session) async throws in
            server.on(.get, "/stall", replies: .fault(.stall))
            let open = session.webSocket(server.webSocketURL())
            try await open.open()
            let opening = session.webSocket(server.webSocketURL("/stall"))
            async let code = AsyncNetError.code { try await opening.open() }
            _ = try await server.takeRequest()
            _ = try await server.takeRequest()
            await session.cancelAll()
            #expect(await code == .cancelled)
            try await open.send(.text("hi"))
            #expect(try await open.receive() == .text("hi"))
        }
    }

    @Test("A server whose messages are not received is held back by flow control, and loses none of them")
    func backPressure() async throws {
        let sent = Locked(0)
        let reply = MockResponse.webSocket { socket in
            for _ in 0..<640 {
                try await socket.send(.binary(Data(count: 100_000)))
                sent.withLock { $0 += 1 }
            }
        }
        try await withWebSockets(reply) { (server: MockServer, session: Session) async throws in
            let socket = session.webSocket(server.webSocketURL())
            try await socket.open()
            #expect(try await socket.receive() != nil)
            var before = -1
            // Until the server stands still.
            while case let now = sent.withLock({ $0 }), now != before {
                before = now
                for _ in 0..<20_000 { await Task.yield() }
            }
            #expect(before < 400)
            let rest = await socket.received()
            #expect(rest.messages.count == 639)
            #expect(rest.error == nil)
        }
    }

    @Test("A lost connection is opened again, and the resume closure's messages are sent on it first")
    func reconnection() async throws {
        let (clock, lost) = (TestClock(), Gate())
        try await withWebSockets(configuration: .init(clock: clock)) {
            (server: MockServer, session: Session) async throws in
            await server.enqueue(
                .webSocket { socket in
                    try await socket.send(.text("one"))
                    await lost.wait()
                    await socket.end()
                },
                .webSocket { socket in
                    let first = try await socket.receive()
                    try await socket.send(first ?? .text("nothing"))
                    await socket.end()
                })
            server.on(.get, "/", replies: .webSocket(.closing(.normalClosure)))
            let seen = Locked(0)
            let socket = session.webSocket(
                server.webSocketURL(), reconnection: .always(delay: .seconds(1))
            ) { [.text("resume \(seen.withLock { $0 })")] }
            #expect(try await socket.receive() == .text("one"))
            seen.withLock { $0 += 1 }
            lost.open()
            async let second = socket.receive()
            await clock.advanceToNextDeadline()
            #expect(try await second == .text("resume 1"))
            async let last = socket.receive()
            await clock.advanceToNextDeadline()
            #expect(try await last == nil)
            #expect(await server.requestCount == 3)
        }
    }

    @Test("close() and cancel() end a WebSocket that waits for its next reconnection", arguments: 0..<2)
    func endOfReconnection(_ kind: Int) async throws {
        let clock = TestClock()
        let reply = MockResponse.webSocket { socket in await socket.end() }
        try await withWebSockets(reply, configuration: .init(clock: clock)) {
            (server: MockServer, session: Session) async throws in
            let socket = session.webSocket(
                server.webSocketURL(), reconnection: .always(delay: .seconds(1)))
            async let received = socket.received()
            await clock.sleepers(atLeast: 1)
            if kind == 0 {
                try await socket.close()
                #expect(await received.error == nil)
            } else {
                await socket.cancel()
                #expect(await received.error?.code == .cancelled)
            }
        }
    }

    @Test("The limit of reconnection counts failures in a row, and closeCode keeps its value between connections")
    func limitOfReconnection() async throws {
        let clock = TestClock()
        try await withWebSockets(configuration: .init(clock: clock)) {
            (server: MockServer, session: Session) async throws in
            await server.enqueue(
                .webSocket(.closing(.serviceRestart)), .status(503),
                .webSocket(.closing(.serviceRestart), greeting: [.text("useful")]))
            server.on(.get, "/", replies: .status(503))
            let events = session.events
            let socket = session.webSocket(server.webSocketURL(), reconnection: .always(limit: 2))
            async let received = socket.received()
            var losses = 0
            for await event in events {
                guard case .connection(.lost) = event.event else { continue }
                #expect(await socket.closeCode == .serviceRestart)
                await clock.advanceToNextDeadline()
                losses += 1
                if losses == 4 { break }
            }
            #expect(await received.error?.code == .webSocketHandshakeFailed)
            #expect(await server.requestCount == 5)
        }
    }

    @Test("A connection that the server accepts and closes at once counts towards the limit of reconnection")
    func limitWithoutMessages() async throws {
        let clock = TestClock()
        try await withWebSockets(.webSocket(.closing(.tryAgainLater)), configuration: .init(clock: clock)) {
            (server: MockServer, session: Session) async throws in
            let socket = session.webSocket(server.webSocketURL(), reconnection: .always(limit: 3))
            async let received = socket.received()
            for _ in 0..<3 { await clock.advanceToNextDeadline() }
            #expect(await received.error?.code == .webSocketClosed)
            #expect(await server.requestCount == 4)
        }
    }

    @Test("A connection that was open for maximumDelay resets the count of failures, also without a message")
    func limitAfterLongTime() async throws {
        let (clock, opened) = (TestClock(), Gate())
        try await withWebSockets(configuration: .init(clock: clock)) {
            (server: MockServer, session: Session) async throws in
            await server.enqueue(
                .webSocket(.closing(.serviceRestart)),
                .webSocket { socket in
                    await opened.wait()
                    await socket.end()
                },
                .webSocket(.closing(.normalClosure)))
            let socket = session.webSocket(server.webSocketURL(), reconnection: .always(limit: 1))
            async let received = socket.received()
            await clock.advanceToNextDeadline()
            try await socket.open()
            #expect(await socket.closeCode == nil)
            clock.advance(by: .seconds(60))
            opened.open()
            await clock.advanceToNextDeadline()
            #expect(await received.error == nil)
            #expect(await server.requestCount == 3)
        }
    }

    @Test("finish() of a session ends a WebSocket that waits for its next reconnection")
    func finishWhileWaiting() async throws {
        let reply = MockResponse.webSocket { socket in await socket.end() }
        let clock = TestClock()
        try await withWebSockets(reply, configuration: .init(clock: clock)) {
            (server: MockServer, session: Session) async throws in
            let socket = session.webSocket(server.webSocketURL(), reconnection: .always())
            async let received = socket.received()
            await clock.sleepers(atLeast: 1)
            await session.finish()
            #expect(await received.error?.code == .sessionFinished)
        }
    }

    @Test("close() and cancel() end a WebSocket whose resume closure does not return", arguments: [true, false])
    func endWhileResuming(_ closes: Bool) async throws {
        let (resuming, never) = (Gate(), Gate())
        try await withWebSockets(.webSocket(.silent)) { (server: MockServer, session: Session) async throws in
            await server.enqueue(.webSocket { await $0.end() })
            let socket = session.webSocket(server.webSocketURL(), reconnection: .always(delay: .zero)) {
                resuming.open()
                await Task { await never.wait() }.value
                return []
            }
            async let received = socket.received()
            await resuming.wait()
            if closes { try await socket.close() } else { await socket.cancel() }
            #expect(await received.error?.code == (closes ? nil : .cancelled))
            never.open()
        }
    }

    @Test("A .timedOut that the resume closure throws ends the WebSocket without another reconnection")
    func failureOfResuming() async throws {
        try await withWebSockets { (server: MockServer, session: Session) async throws in
            await server.enqueue(.webSocket { await $0.end() })
            let socket = session.webSocket(server.webSocketURL(), reconnection: .always(delay: .zero)) {
                throw AsyncNetError(.timedOut)
            }
            #expect(await socket.received().error?.code == .timedOut)
            #expect(await server.requestCount == 2)
        }
    }

    @Test("closeCode is 1006 while a connection that was lost without a close frame is opened again")
    func closeCodeOfLostConnection() async throws {
        let clock = TestClock()
        try await withWebSockets(.webSocket { await $0.end() }, configuration: .init(clock: clock)) {
            (server: MockServer, session: Session) async throws in
            let events = session.events
            let socket = session.webSocket(server.webSocketURL(), reconnection: .always())
            async let received = socket.received()
            for await event in events { if case .connection(.lost) = event.event { break } }
            #expect(await socket.closeCode == .abnormalClosure)
            await socket.cancel()
            #expect(await received.error?.code == .cancelled)
        }
    }

    @Test("A session that finishes lets a WebSocket reconnect ten times, then ends it with .sessionFinished")
    func finishWhileReopening() async throws {
        let (hold, slow, asked, reopened) = (Gate(), Gate(), Gate(), Counter())
        let reply = MockResponse.webSocket { socket in
            reopened.add()
            if reopened.value > 30 { slow.open() }
            await socket.end()
        }
        let clock = TestClock()
        try await withWebSockets(reply, configuration: .init(clock: clock)) {
            (server: MockServer, session: Session) async throws in
            await server.enqueue(
                .webSocket { socket in
                    await hold.wait()
                    await socket.end()
                })
            server.on(.get, "/slow") { _ in
                asked.open()
                await slow.wait()
                return .text("slow")
            }
            let socket = session.webSocket(
                server.webSocketURL(), reconnection: .always(delay: .zero, maximumDelay: .zero, limit: nil))
            try await socket.open()
            let received = Task {
                defer { slow.open() }
                return await socket.received().error?.code
            }
            async let running = session.request(server.url("/slow")).serializing(String.self).response
            await asked.wait()
            let finishing = clock.task { await session.finish() }
            await clock.settled()
            #expect(await session.isFinished)
            hold.open()
            #expect(await received.value == .sessionFinished)
            #expect(await running.value == "slow")
            await finishing.value
            #expect(reopened.value == 10)
        }
    }
}
