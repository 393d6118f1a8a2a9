import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// The end of a WebSocket by either side, and by faults.
@Suite("WebSocket: closing", .timeLimit(.minutes(5)))
struct WebSocketCloseTests {
    static let own = WebSocketCloseCode(rawValue: 4000)

    @Test("close() sends code and reason to the server after all messages", arguments: [.normalClosure, own])
    func close(_ code: WebSocketCloseCode) async throws {
        let seen = AwaitedState<[String]>([])
        let reply = MockResponse.webSocket { socket in
            for try await message in socket.messages { seen.change { $0.append("\(message)") } }
            let end = await "\(socket.closeCode?.rawValue ?? 0) \(socket.closeReason)"
            seen.change { $0.append(end) }
        }
        try await withWebSockets(reply) { (server: MockServer, session: Session) async throws in
            let socket = session.webSocket(server.webSocketURL())
            for _ in 0..<3 { try await socket.send(.text("a")) }
            try await socket.close(code: code, reason: "bye ä")
            #expect(await socket.closeCode == code)
            await seen.wait { $0.count == 4 }
            #expect(seen.read { $0 } == Array(repeating: "text of 1 bytes", count: 3) + ["\(code) bye ä"])
            let code = await AsyncNetError.code { try await socket.send(.text("late")) }
            #expect(code == .webSocketClosed)
            try await socket.close()
        }
    }

    @Test(
        "The server's close frame ends the messages, with an error unless its code is 1000, 1001 or missing",
        arguments: [
            (.normalClosure, nil), (.goingAway, nil), (nil, nil), (own, .webSocketClosed),
            (.internalError, .webSocketClosed),
        ] as [(WebSocketCloseCode?, AsyncNetError.Code?)])
    func closedByServer(_ code: WebSocketCloseCode?, _ error: AsyncNetError.Code?) async throws {
        let reason = code == nil ? "" : "ä"
        let reply = MockResponse.webSocket(.closing(code, reason: reason), greeting: [.text("last")])
        try await withWebSockets(reply) { (server: MockServer, session: Session) async throws in
            let socket = session.webSocket(server.webSocketURL())
            let received = await socket.received()
            #expect(received.messages == [.text("last")])
            #expect(received.error?.code == error)
            #expect(await socket.closeCode == code ?? .noStatusReceived)
            #expect(await socket.closeReason == reason)
        }
    }

    @Test(
        "open() succeeds although the server closes the WebSocket at once, and a later open() throws .webSocketClosed")
    func closedAtOnce() async throws {
        try await withWebSockets(.webSocket(.closing(.normalClosure))) { server, session in
            for _ in 0..<20 {
                let socket = session.webSocket(server.webSocketURL())
                try await socket.open()
                let received = await socket.received()
                #expect(received.messages.isEmpty && received.error == nil)
                let code = await AsyncNetError.code { try await socket.open() }
                #expect(code == .webSocketClosed)
            }
        }
    }

    @Test(
        "A server's faulty frame ends the WebSocket with the error and close code of the fault",
        arguments: [
            (.maskedFrame, .webSocketProtocolViolated, 1002), (.reservedBits, .webSocketProtocolViolated, 1002),
            (.unknownOpcode, .webSocketProtocolViolated, 1002), (.invalidUTF8, .webSocketProtocolViolated, 1007),
            (.oversizedFrame, .webSocketMessageTooLarge, 1009), (.endInFrame, .connectionLost, 1006),
            (.resetInFrame, .connectionLost, 1006),
        ] as [(MockWebSocket.Fault, AsyncNetError.Code, UInt16)])
    func faults(_ fault: MockWebSocket.Fault, _ code: AsyncNetError.Code, _ closeCode: UInt16) async throws {
        let sent = AwaitedState<WebSocketCloseCode?>(nil)
        let reply = MockResponse.webSocket(fault: fault) { socket in
            for try await message in socket.messages { try await socket.send(message) }
            let code = await socket.closeCode
            sent.change { $0 = code }
        }
        try await withWebSockets(reply) { (server: MockServer, session: Session) async throws in
            let socket = session.webSocket(server.webSocketURL())
            try await socket.send(.text("hello"))
            let received = await socket.received()
            #expect(received.messages == [])
            #expect(received.error?.code == code)
            #expect(await socket.closeCode?.rawValue == closeCode)
            #expect(await AsyncNetError.code { try await socket.send(.text("late")) } == code)
            // The server gets the code of the failure.
            await sent.wait { $0 != nil }
            #expect(sent.read { $0?.rawValue } == closeCode)
        }
    }

    @Test(
        "A message above maximumMessageSize, compressed or not, ends the WebSocket with close code 1009",
        arguments: [false, true])
    func tooLarge(_ compresses: Bool) async throws {
        let compression = compresses ? WebSocketCompression(minimumSize: 1) : nil
        let reply = MockResponse.webSocket(
            .sending(.binary(Data(count: 1000)), .binary(Data(count: 1001))), compression: compression)
        try await withWebSockets(reply) { (server: MockServer, session: Session) async throws in
            let socket = session.webSocket(server.webSocketURL(), options: .init(maximumMessageSize: 1000))
            let received = await socket.received()
            #expect(received.messages.count == 1)
            #expect(received.error?.code == .webSocketMessageTooLarge)
            #expect(await socket.closeCode == .messageTooBig)
        }
    }

    @Test("A WebSocket whose server ends the connection without a close frame ends with .connectionLost and code 1006")
    func endWithoutClose() async throws {
        try await withWebSockets(.webSocket(.closing(.normalClosure), fault: .endWithoutClose)) {
            (server: MockServer, session: Session) async throws in
            let socket = session.webSocket(server.webSocketURL())
            #expect(await socket.received().error?.code == .connectionLost)
            #expect(await socket.closeCode == .abnormalClosure)
        }
    }

    @Test("close() without the server's close frame returns after closeTimeout, or when its task is cancelled")
    func unansweredClose() async throws {
        try await withWebSockets(.webSocket(.echo, fault: .noClose)) {
            (server: MockServer, session: Session) async throws in
            let socket = session.webSocket(server.webSocketURL(), options: .init(closeTimeout: .milliseconds(20)))
            try await socket.open()
            try await socket.close()
            #expect(await socket.closeCode == .abnormalClosure)
            let other = session.webSocket(server.webSocketURL(), options: .init(closeTimeout: .seconds(1000)))
            try await other.open()
            let closing = Task { try await other.close() }
            closing.cancel()
            try await closing.value
            _ = await other.received()
            #expect(await other.closeCode == .abnormalClosure)
        }
    }

    @Test("close() with an invalid code or reason throws .invalidRequest, and the WebSocket stays open")
    func invalidClose() async throws {
        try await withWebSockets { (server: MockServer, session: Session) async throws in
            let socket = session.webSocket(server.webSocketURL())
            for isOpen in [false, true] {
                if isOpen { try await socket.open() }
                for code in [WebSocketCloseCode.noStatusReceived, .abnormalClosure, .init(rawValue: 999)] {
                    #expect(await AsyncNetError.code { try await socket.close(code: code) } == .invalidRequest)
                }
                let reason = String(repeating: "x", count: 124)
                #expect(await AsyncNetError.code { try await socket.close(reason: reason) } == .invalidRequest)
            }
            try await socket.send(.text("still open"))
            #expect(try await socket.receive() == .text("still open"))
        }
    }

    /// The server takes no bytes, and so not the close frame that its violation gets.
    private static let violation = """
        import base64, hashlib
        head = b""
        while b"\\r\\n\\r\\n" not in head: head += c.recv(1)
        name = b"Sec-WebSocket-Key: "
        key = [line[len(name):] for line in head.split(b"\\r\\n") if line.startswith(name)][0]
        accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
        c.sendall(b"HTTP/1.1 101 OK\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: " + accept + b"\\r\\n\\r\\n")
        c.recv(1)
        c.sendall(b"\\x81\\x80\\0\\0\\0\\0")
        """

    @Test("After a violation that follows this side's close frame, no second close frame is sent or reported")
    func violationAfterClose() async throws {
        let (server, recorder) = (try RawServer(Self.violation, readsHead: false), EventRecorder())
        let session = Session(transport: .sockets(), configuration: .init(monitors: [recorder]))
        let socket = session.webSocket("ws://127.0.0.1:\(server.port)/")
        try await socket.open()
        try? await socket.close()
        #expect(await socket.closeCode == .abnormalClosure)
        await session.finish()
        #expect(recorder.steps().count { $0.contains("sent close") } == 1, "\(recorder.steps())")
    }

    @Test("close() returns after closeTimeout although the server does not read the close frame for its violation")
    func closesAfterViolation() async throws {
        let (server, clock) = (try RawServer(Self.violation, readsHead: false), TestClock())
        let session = Session(
            transport: .sockets(.init(connectTimeout: .seconds(3000))), configuration: .init(clock: clock))
        let events = session.events
        let socket = session.webSocket("ws://127.0.0.1:\(server.port)/")
        try await socket.open()
        async let sent: Void? = try? await socket.send(.binary(Data(count: 30_000_000)))
        for await event in events { if case .connection(.sentClose) = event.event { break } }
        #expect(await socket.closeCode == .protocolError)
        let hasClosed = Locked(false)
        async let close: Void = {
            try await socket.close()
            hasClosed.withLock { $0 = true }
        }()
        while !hasClosed.withLock({ $0 }) {
            clock.advance(by: .seconds(5))
            await Task.yield()
        }
        try await close
        _ = await sent
        let received = await socket.received()
        #expect(received.messages.isEmpty)
        await session.finish()
    }
}
