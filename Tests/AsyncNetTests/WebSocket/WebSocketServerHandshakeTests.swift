import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetTestSupport

@Suite("WebSocket handshake of the server")
struct WebSocketServerHandshakeTests {
    private static func request(_ changes: [String: String?] = [:]) -> HTTPHeaders {
        var headers: HTTPHeaders = [
            "Upgrade: websocket", "Connection: keep-alive, Upgrade", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        for (name, value) in changes {
            headers.remove(name)
            if let value { headers.add(name: name, value: value) }
        }
        return headers
    }

    @Test("The response has Sec-WebSocket-Accept, the server's preferred subprotocol and the extension")
    func response() throws {
        let headers = Self.request([
            "Sec-WebSocket-Protocol": "v1, v2", "Sec-WebSocket-Extensions": "other, permessage-deflate",
        ])
        let server = try WebSocketServerHandshake(
            method: .get, headers: headers, protocols: ["v3", "v2", "v1"], compression: WebSocketCompression())
        #expect(server.headers["Sec-WebSocket-Accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(server.headers["Sec-WebSocket-Protocol"] == "v2")
        #expect(server.headers["Sec-WebSocket-Extensions"] == "permessage-deflate")
        #expect(server.agreement == WebSocketAgreement(subprotocol: "v2", compression: WebSocketDeflate()))
    }

    @Test("The server chooses no subprotocol or extension that was not offered")
    func nothing() throws {
        let server = try WebSocketServerHandshake(
            method: .get, headers: Self.request(), protocols: ["v1"], compression: WebSocketCompression())
        #expect(server.agreement == WebSocketAgreement())
        #expect(server.headers.map(\.name) == ["Connection", "Upgrade", "Sec-WebSocket-Accept"])
    }

    static let refused: [([String: String?], Int)] = [
        (["Upgrade": nil], 400), (["Upgrade": "h2c"], 400), (["Connection": "close"], 400),
        (["Sec-WebSocket-Version": nil], 426), (["Sec-WebSocket-Version": "8"], 426), (["Sec-WebSocket-Key": nil], 400),
        (["Sec-WebSocket-Key": "c2hvcnQ="], 400), (["Sec-WebSocket-Key": "***"], 400),
        (["Sec-WebSocket-Extensions": "=;"], 400),
    ]

    @Test("An invalid handshake is refused with 400, or with 426 for another version", arguments: refused)
    func refuses(changes: [String: String?], status: Int) {
        let refusal = #expect(throws: WebSocketServerHandshake.Refusal.self) {
            try WebSocketServerHandshake(
                method: .get, headers: Self.request(changes), compression: WebSocketCompression())
        }
        #expect(refusal?.statusCode == status)
        #expect(refusal?.headers["Sec-WebSocket-Version"] == (status == 426 ? "13" : nil))
    }

    @Test("A handshake with another method than GET is refused with 400")
    func method() {
        let refusal = #expect(throws: WebSocketServerHandshake.Refusal.self) {
            try WebSocketServerHandshake(method: .post, headers: Self.request())
        }
        #expect(refusal?.statusCode == 400)
    }
}
