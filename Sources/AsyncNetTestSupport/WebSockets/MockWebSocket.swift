public import AsyncNet
import Foundation

/// What a server does with a WebSocket after the handshake.
///
///     server.on(.get, "/chat", replies: .webSocket(.echo))
///     await server.enqueue(.webSocket(protocols: ["v2"]) { socket in
///         try await socket.send(.text("hello"))
///         for try await message in socket.messages { try await socket.send(message) }
///     })
public struct MockWebSocket: Sendable {
    /// Uses an open WebSocket. When the script returns, the server closes the WebSocket with code 1000, unless it is
    /// closed; an error closes it with code 1011. When the server stops, the script's task is cancelled.
    public typealias Script = @Sendable (MockWebSocketConnection) async throws -> Void

    let script: Script

    /// Creates a WebSocket that a closure uses.
    public init(_ script: @escaping Script) { self.script = script }

    /// Sends each message back, until the client closes the WebSocket.
    public static let echo = MockWebSocket { socket in
        for try await message in socket.messages { try await socket.send(message) }
    }

    /// Receives messages and sends none, until the client closes the WebSocket.
    public static let silent = MockWebSocket { socket in for try await _ in socket.messages {} }

    /// Sends messages, then receives until the client closes the WebSocket.
    public static func sending(_ messages: WebSocketMessage...) -> MockWebSocket {
        MockWebSocket { socket in
            for message in messages { try await socket.send(message) }
            for try await _ in socket.messages {}
        }
    }

    /// Closes the WebSocket with this code and reason; `nil` sends neither.
    public static func closing(_ code: WebSocketCloseCode?, reason: String = "") -> MockWebSocket {
        MockWebSocket { socket in try await socket.close(code, reason: reason) }
    }

    /// What a server does wrong.
    public enum Fault: Hashable, Sendable {
        /// The handshake's `Sec-WebSocket-Accept` belongs to another key.
        case wrongAccept
        /// Pings get no pong.
        case noPong
        /// The client's close frame gets no answer, and the connection stays open.
        case noClose
        /// The connection is closed where the server would send a close frame or answer the client's.
        case endWithoutClose
        /// All bytes after the handshake are written one by one.
        case drip
        /// The first message is sent in a masked frame, which RFC 6455 §5.1 forbids to servers.
        case maskedFrame
        /// The first message is sent as a text that is not UTF-8.
        case invalidUTF8
        /// The first message is sent in a frame with the bits RSV2 and RSV3.
        case reservedBits
        /// The first message is sent in a frame with the opcode 3.
        case unknownOpcode
        /// In place of the first message a frame is begun that announces 2^62 bytes.
        case oversizedFrame
        /// The connection is closed after half of the frame of the first message.
        case endInFrame
        /// The connection is reset after half of the frame of the first message.
        case resetInFrame
    }
}

/// What a response with status 101 offers in the handshake, and what the server does after it.
struct MockUpgrade: Sendable {
    var webSocket: MockWebSocket
    var protocols: [String]
    var compression: WebSocketCompression?
    /// Messages that are sent in the same packet as the response's head.
    var greeting: [WebSocketMessage]
    var fault: MockWebSocket.Fault?
}

extension MockResponse {
    /// Accepts the handshake of a WebSocket (RFC 6455 §4.2.2). A request that is no handshake gets a 400, one for
    /// another version of WebSocket a 426.
    ///
    /// - Parameters:
    ///   - webSocket: What follows the handshake; by default each message is sent back.
    ///   - protocols: The server's subprotocols, in its order of preference.
    ///   - compression: The compression that the server accepts; `nil`, the default, accepts none.
    ///   - headers: More headers of the response with status 101, such as `Set-Cookie`.
    ///   - greeting: Messages that are sent in the same packet as the response's head.
    ///   - fault: What the server does wrong; `nil`, the default, for nothing.
    public static func webSocket(
        _ webSocket: MockWebSocket = .echo, protocols: [String] = [], compression: WebSocketCompression? = nil,
        headers: HTTPHeaders = [:], greeting: [WebSocketMessage] = [], fault: MockWebSocket.Fault? = nil
    ) -> MockResponse {
        var response = MockResponse(101, headers: headers)
        response.upgrade = MockUpgrade(
            webSocket: webSocket, protocols: protocols, compression: compression, greeting: greeting, fault: fault)
        return response
    }

    /// As ``webSocket(_:protocols:compression:headers:greeting:fault:)``, with a closure after the handshake.
    public static func webSocket(
        protocols: [String] = [], compression: WebSocketCompression? = nil, headers: HTTPHeaders = [:],
        greeting: [WebSocketMessage] = [], fault: MockWebSocket.Fault? = nil, _ script: @escaping MockWebSocket.Script
    ) -> MockResponse {
        webSocket(
            MockWebSocket(script), protocols: protocols, compression: compression, headers: headers,
            greeting: greeting, fault: fault)
    }
}
