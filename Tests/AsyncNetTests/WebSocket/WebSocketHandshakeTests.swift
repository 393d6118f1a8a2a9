import Foundation
import Testing

@testable import AsyncNet

@Suite("WebSocket handshake of the client")
struct WebSocketHandshakeTests {
    private static func handshake(
        protocols: [String] = [], compression: WebSocketCompression? = nil
    ) throws -> WebSocketHandshake {
        try WebSocketHandshake(protocols: protocols, compression: compression, random: SeededRandom(state: 1))
    }

    /// The headers of a valid response, with changes.
    private static func response(
        to handshake: WebSocketHandshake, status: Int = 101, version: String? = "HTTP/1.1", _ changes: [String: String?]
    ) -> HTTPResponseHead {
        let key = handshake.headers["Sec-WebSocket-Key"] ?? ""
        var headers: HTTPHeaders = ["Upgrade: websocket", "Connection: Upgrade"]
        headers.add(name: "Sec-WebSocket-Accept", value: WebSocketAccept.value(for: key))
        for (name, value) in changes {
            headers.remove(name)
            if let value { headers.add(name: name, value: value) }
        }
        return HTTPResponseHead(statusCode: status, url: URL(filePath: "/"), headers: headers, httpVersion: version)
    }

    @Test("A handshake has the headers of RFC 6455 §4.1, with a new key of 16 bytes each time")
    func headers() throws {
        let handshake = try WebSocketHandshake(protocols: ["v2", "v1"], compression: WebSocketCompression())
        let headers = handshake.headers
        #expect(headers["Upgrade"] == "websocket")
        #expect(headers["Connection"] == "Upgrade")
        #expect(headers["Sec-WebSocket-Version"] == "13")
        #expect(headers["Sec-WebSocket-Protocol"] == "v2, v1")
        #expect(headers["Sec-WebSocket-Extensions"] == "permessage-deflate; client_max_window_bits")
        let key = try #require(headers["Sec-WebSocket-Key"])
        #expect(Data(base64Encoded: key)?.count == 16)
        let other = try WebSocketHandshake().headers
        #expect(other["Sec-WebSocket-Key"] != key)
        #expect(other["Sec-WebSocket-Protocol"] == nil)
        #expect(other["Sec-WebSocket-Extensions"] == nil)
    }

    @Test("Subprotocols that are no tokens or repeated are refused", arguments: [[""], ["a b"], ["a,b"], ["a", "a"]])
    func protocols(names: [String]) {
        let error = #expect(throws: AsyncNetError.self) { try Self.handshake(protocols: names) }
        #expect(error?.code == .invalidRequest)
    }

    static let accepted: [([String: String], String?)] = [
        ([:], nil), (["Upgrade": "WebSocket"], nil), (["Connection": "keep-alive, upgrade"], nil),
        (["Sec-WebSocket-Protocol": "v1"], "v1"), (["Sec-WebSocket-Extensions": ""], nil),
    ]

    @Test("A valid 101 response is accepted with its subprotocol", arguments: accepted)
    func accepts(changes: [String: String], subprotocol: String?) throws {
        let handshake = try Self.handshake(protocols: ["v2", "v1"])
        let agreement = try handshake.agreement(from: Self.response(to: handshake, changes.mapValues { $0 }))
        #expect(agreement == WebSocketAgreement(subprotocol: subprotocol, compression: nil))
    }

    static let refused: [(Int, [String: String?])] = [
        (200, [:]), (401, [:]), (101, ["Upgrade": nil]), (101, ["Upgrade": "h2c"]), (101, ["Connection": nil]),
        (101, ["Connection": "close"]), (101, ["Sec-WebSocket-Accept": nil]),
        (101, ["Sec-WebSocket-Accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="]), (101, ["Sec-WebSocket-Protocol": "v3"]),
        (101, ["Sec-WebSocket-Protocol": "V1"]), (101, ["Sec-WebSocket-Protocol": "v1, v2"]),
        (101, ["Sec-WebSocket-Extensions": "x-webkit-deflate-frame"]),
        (101, ["Sec-WebSocket-Extensions": "permessage-deflate; unknown"]),
        (101, ["Sec-WebSocket-Extensions": "permessage-deflate, permessage-deflate"]),
        (101, ["Sec-WebSocket-Extensions": "permessage-deflate;"]),
        (101, ["Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits"]),
        (101, ["Sec-WebSocket-Extensions": "permessage-deflate; server_max_window_bits=16"]),
    ]

    @Test("A response that RFC 6455 §4.1 forbids leads to .webSocketHandshakeFailed", arguments: refused)
    func refuses(status: Int, changes: [String: String?]) throws {
        let handshake = try Self.handshake(protocols: ["v2", "v1"], compression: WebSocketCompression())
        let head = Self.response(to: handshake, status: status, changes)
        let error = #expect(throws: AsyncNetError.self) { try handshake.agreement(from: head) }
        #expect(error?.code == .webSocketHandshakeFailed)
    }

    @Test("A 101 response of HTTP/1.0 leads to .webSocketHandshakeFailed (RFC 6455 §4.2.2)")
    func oldVersion() throws {
        let handshake = try Self.handshake()
        let head = Self.response(to: handshake, version: "HTTP/1.0", [:])
        let error = #expect(throws: AsyncNetError.self) { try handshake.agreement(from: head) }
        #expect(error?.code == .webSocketHandshakeFailed)
    }

    @Test("A response with an extension that was not offered leads to .webSocketHandshakeFailed")
    func notOffered() throws {
        let handshake = try Self.handshake()
        let head = Self.response(to: handshake, ["Sec-WebSocket-Extensions": "permessage-deflate"])
        let error = #expect(throws: AsyncNetError.self) { try handshake.agreement(from: head) }
        #expect(error?.code == .webSocketHandshakeFailed)
    }
}
