import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// Messages there and back over real sockets.
@Suite("WebSocket: messages", .timeLimit(.minutes(5)))
struct WebSocketEchoTests {
    static let big = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    static let messages: [WebSocketMessage] = [
        .text("hi"), .text(""), .binary(Data()), .text("Grüße 👋"), .binary(big),
        .text(String(repeating: "ä", count: 100_000)), .binary(Data(count: 125)), .binary(Data(count: 65_536)),
    ]

    @Test(
        "An echo server returns texts and bytes of all sizes as they were sent",
        arguments: [nil, MockServer.TLS.selfSigned], [false, true])
    func echo(_ tls: MockServer.TLS?, _ compresses: Bool) async throws {
        let compression = WebSocketCompression(minimumSize: 1)
        let reply = MockResponse.webSocket(.echo, compression: compresses ? compression : nil)
        try await withWebSockets(reply, tls: tls) { (server: MockServer, session: Session) async throws in
            let options = WebSocketOptions(compression: compression)
            let socket = session.webSocket(server.webSocketURL(), options: options)
            for message in Self.messages {
                try await socket.send(message)
                #expect(try await socket.receive() == message)
            }
            #expect(await socket.isCompressed == compresses)
            #expect(await socket.response?.statusCode == 101)
            try await socket.close()
            #expect(await socket.closeCode == .normalClosure)
            #expect(try await socket.receive() == nil)
        }
    }

    @Test(
        "An echo server returns compressed messages as they were sent, with each setting of compression",
        arguments: [
            WebSocketCompression(clientContextTakeover: false, minimumSize: 1),
            WebSocketCompression(serverContextTakeover: false, minimumSize: 1),
            WebSocketCompression(clientWindowBits: 9, serverWindowBits: 9, minimumSize: 1),
        ])
    func compression(_ compression: WebSocketCompression) async throws {
        let reply = MockResponse.webSocket(.echo, compression: WebSocketCompression(minimumSize: 1))
        try await withWebSockets(reply) { (server: MockServer, session: Session) async throws in
            let options = WebSocketOptions(compression: compression)
            let socket = session.webSocket(server.webSocketURL(), options: options)
            for message in Self.messages + Self.messages {
                try await socket.send(message)
                #expect(try await socket.receive() == message)
            }
            #expect(await socket.isCompressed)
        }
    }

    @Test("A text sent and received in fragments of three bytes comes back whole")
    func fragments() async throws {
        let text = "Grüße von einer Nachricht in vielen Rahmen 👋"
        let reply = MockResponse.webSocket { socket in
            for try await message in socket.messages { try await socket.send(message, fragmentSize: 3) }
        }
        try await withWebSockets(reply) { (server: MockServer, session: Session) async throws in
            let socket = session.webSocket(server.webSocketURL(), options: .init(fragmentSize: 3))
            try await socket.send(.text(text))
            #expect(try await socket.receive() == .text(text))
        }
    }

    @Test("Messages of a server that writes byte by byte are received whole")
    func drip() async throws {
        try await withWebSockets(.webSocket(.echo, fault: .drip)) {
            (server: MockServer, session: Session) async throws in
            let socket = session.webSocket(server.webSocketURL())
            for text in ["a", String(repeating: "ä", count: 200)] {
                try await socket.send(.text(text))
                #expect(try await socket.receive() == .text(text))
            }
            try await socket.close()
            #expect(await socket.closeCode == .normalClosure)
        }
    }

    @Test("Messages that arrive in one packet with the 101 response are received")
    func greeting() async throws {
        let reply = MockResponse.webSocket(.sending(.text("c")), greeting: [.text("a"), .text("b")])
        try await withWebSockets(reply) { (server: MockServer, session: Session) async throws in
            let socket = session.webSocket(server.webSocketURL())
            for text in ["a", "b", "c"] { #expect(try await socket.receive() == .text(text)) }
        }
    }

    @Test("Messages that fifty tasks send at once arrive whole, and each task's messages arrive in order")
    func senders() async throws {
        try await withWebSockets { (server: MockServer, session: Session) async throws in
            let socket = session.webSocket(server.webSocketURL())
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<50 {
                    group.addTask {
                        for number in 0..<20 { try await socket.send(.text("\(task) \(number)")) }
                    }
                }
                var next = Array(repeating: 0, count: 50)
                for _ in 0..<1000 {
                    guard case .text(let text)? = try await socket.receive() else { break }
                    let numbers = text.split(separator: " ").compactMap { Int($0) }
                    guard numbers.count == 2, next.indices.contains(numbers[0]) else { break }
                    #expect(next[numbers[0]] == numbers[1])
                    next[numbers[0]] += 1
                }
                #expect(next == Array(repeating: 20, count: 50))
                try await group.waitForAll()
            }
        }
    }

    @Test("The handshake sends the URL's target and the caller's headers, and takes the server's subprotocol")
    func handshake() async throws {
        try await withWebSockets { (server: MockServer, session: Session) async throws in
            server.on(.get, "/chat/*", replies: .webSocket(.echo, protocols: ["v2", "v1"]))
            let socket = session.webSocket(
                server.webSocketURL("/chat/a%20b?x=1"), protocols: ["v1", "v2"], headers: ["X-Test: yes"])
            #expect(await socket.subprotocol == nil)
            try await socket.open()
            #expect(await socket.subprotocol == "v2")
            let request = try await server.takeRequest()
            #expect(request.target == "/chat/a%20b?x=1")
            #expect(request.headers["X-Test"] == "yes")
            #expect(request.headers["Host"] == "127.0.0.1:\(server.port)")
            #expect(request.headers["Sec-WebSocket-Version"] == "13")
        }
    }
}
