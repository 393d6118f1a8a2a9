import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetTestSupport

/// WebSockets and raw streams over a stub, without sockets.
@Suite("StubTransport: connections", .timeLimit(.minutes(5)))
struct StubConnectionTests {
    private let url = "ws://chat.example/room/1"

    @Test(
        "A stub's route with .webSocket opens WebSockets, with subprotocol and compression",
        arguments: [nil, WebSocketCompression(minimumSize: 1)])
    func webSocket(_ compression: WebSocketCompression?) async throws {
        let stub = StubTransport()
        stub.on(
            .get, "/room/:id", times: .once, replies: .webSocket(.echo, protocols: ["v2"], compression: compression))
        let session = Session(transport: stub)
        let socket = session.webSocket(url, protocols: ["v2"])
        for message in WebSocketEchoTests.messages {
            try await socket.send(message)
            #expect(try await socket.receive() == message)
        }
        #expect(await socket.subprotocol == "v2")
        #expect(await socket.isCompressed == (compression != nil))
        #expect(try await socket.ping() >= .zero)
        try await socket.close(code: .init(rawValue: 4000), reason: "bye")
        #expect(await socket.closeCode?.rawValue == 4000)
        #expect(stub.requests.first?.headers["Host"] == "chat.example")
        try stub.verify()
    }

    @Test("A stub's 403 refuses a WebSocket with the body in the error, and a fault ends it with connectionLost")
    func refused() async throws {
        let stub = StubTransport()
        stub.on(.get, "/room/1", replies: .status(403, body: "no"), .fault(.resetBeforeHead), .webSocket())
        let session = Session(transport: stub)
        var errors: [AsyncNetError] = []
        for _ in 0..<2 {
            do { try await session.webSocket(url).open() } catch { errors.append(error) }
        }
        #expect(errors.map(\.code) == [.webSocketHandshakeFailed, .connectionLost])
        #expect(errors.first?.data == Data("no".utf8))
        try await session.webSocket(url).open()
    }

    @Test("The delay of a stub's response to a WebSocket passes on the stub's clock")
    func delayed() async throws {
        let clock = TestClock()
        let stub = StubTransport(clock: clock) { _ in .webSocket(.echo).delayed(by: .seconds(30)) }
        let socket = Session(transport: stub).webSocket(url)
        async let opening: Void = socket.open()
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(30))
        try await opening
    }

    @Test("A stub's 403 with a fault of its body refuses a WebSocket, and .closeBeforeHead ends it with emptyReply")
    func faultsOfResponse() async {
        let stub = StubTransport()
        stub.on(
            .get, "/room/1",
            replies: .status(403, body: "no").with(.truncate(after: 1)), .fault(.closeBeforeHead),
            .webSocket().with(.resetAfterHead))
        let session = Session(transport: stub)
        var codes: [AsyncNetError.Code?] = []
        for _ in 0..<3 { codes.append(await AsyncNetError.code { try await session.webSocket(url).open() }) }
        #expect(codes == [.webSocketHandshakeFailed, .emptyReply, .connectionLost])
    }

    private final class Witness: Sendable {
        let end: Gate
        init(_ end: Gate) { self.end = end }
        deinit { end.open() }
    }

    @Test("The endless body of a stub's 403 to a WebSocket is released when the client cancels")
    func endlessRefusal() async {
        let (isAsked, isReleased) = (Gate(), Gate())
        let stub = StubTransport { _ in
            let witness = Witness(isReleased)
            isAsked.open()
            return .stream(
                AsyncStream<String> {
                    await Task.yield()
                    return withExtendedLifetime(witness) { "no" }
                }, status: 403)
        }
        let opening = Task { try await Session(transport: stub).webSocket(url).open() }
        await isAsked.wait()
        opening.cancel()
        #expect(await AsyncNetError.code { try await opening.value } == .cancelled)
        await isReleased.wait()
    }

    @Test(
        "A fault of a stub's WebSocket has the effect that it has over sockets: an error, or none for .drip",
        arguments: [MockWebSocket.Fault.drip, .maskedFrame, .resetInFrame])
    func faults(_ fault: MockWebSocket.Fault) async throws {
        let session = Session(transport: StubTransport { _ in .webSocket(.echo, fault: fault) })
        let socket = session.webSocket(url)
        try await socket.send(.text("hello"))
        let expected: [MockWebSocket.Fault: AsyncNetError.Code] = [
            .maskedFrame: .webSocketProtocolViolated, .resetInFrame: .connectionLost,
        ]
        let code = await AsyncNetError.code { _ = try await socket.receive() }
        #expect(code == expected[fault])
    }

    @Test("A stub's closure serves raw connections, and each side sees when the other stops writing")
    func raw() async throws {
        let ended = Gate()
        let stub = StubTransport(connections: { connection in
            #expect(connection.request.host == "redis")
            for try await bytes in connection.bytes { try await connection.write(bytes) }
            try await connection.write(Data("bye".utf8))
            ended.open()
        })
        let connection = try await Session(transport: stub).connect(to: "redis", port: 6379, tls: .none)
        try await connection.write(Data("PING".utf8))
        try await connection.finishWriting()
        var received = Data()
        for try await bytes in connection.bytes { received += bytes }
        #expect(received == Data("PINGbye".utf8))
        await ended.wait()
    }

    @Test("A released client ends the stub's loop over bytes, and after reset() the client gets connectionLost")
    func ends() async throws {
        let ended = Gate()
        let stub = StubTransport(connections: { connection in
            guard connection.request.port == 1 else { return connection.reset() }
            while (try? await connection.receive()) ?? nil != nil {}
            ended.open()
        })
        let session = Session(transport: stub)
        var connection: StreamConnection? = try await session.connect(to: "a", port: 1, tls: .none)
        try await connection?.write(Data([1]))
        connection = nil
        await ended.wait()
        let other = try await session.connect(to: "a", port: 2, tls: .none)
        #expect(await AsyncNetError.code { for try await _ in other.bytes {} } == .connectionLost)
        let without = Session(transport: StubTransport())
        let code = await AsyncNetError.code { _ = try await without.connect(to: "a", port: 1, tls: .none) }
        #expect(code == .unsupportedByTransport)
    }

    @Test("A closure that writes to a stub's connection is suspended while the client does not read")
    func backPressure() async throws {
        let sent = Counter()
        let stub = StubTransport(connections: { connection in
            for _ in 0..<100 {
                try await connection.write(Data(count: 100_000))
                sent.add()
            }
        })
        let connection = try await Session(transport: stub).connect(to: "a", port: 1, tls: .none)
        await sent.reaches(3)
        for _ in 0..<1000 { await Task.yield() }
        #expect(sent.value < 8)
        var count = 0
        for try await bytes in connection.bytes { count += bytes.count }
        #expect(count == 10_000_000)
    }
}
