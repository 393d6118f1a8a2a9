import AsyncNet
import Foundation

/// A server's response to the handshake of a WebSocket.
struct MockHandshake {
    /// The head of the response with status 101.
    let bytes: Data
    let agreement: WebSocketAgreement

    /// - Throws: `WebSocketServerHandshake.Refusal` if the request is no handshake of a WebSocket.
    init(_ upgrade: MockUpgrade, _ request: RecordedRequest, _ headers: HTTPHeaders) throws {
        let handshake = try WebSocketServerHandshake(
            method: request.method, headers: request.headers, protocols: upgrade.protocols,
            compression: upgrade.compression)
        agreement = handshake.agreement
        var text = "HTTP/1.1 101 Switching Protocols\r\n"
        for header in Self.headers(handshake, upgrade.fault) + headers { text += "\(header.name): \(header.value)\r\n" }
        bytes = Data((text + "\r\n").utf8)
    }

    private static func headers(
        _ handshake: WebSocketServerHandshake, _ fault: MockWebSocket.Fault?
    ) -> [HTTPHeader] {
        handshake.headers.map { header in
            guard fault == .wrongAccept, header.name == "Sec-WebSocket-Accept" else { return header }
            return HTTPHeader(name: header.name, value: Data(count: 20).base64EncodedString())
        }
    }
}

extension WebSocketServerHandshake.Refusal {
    var response: MockResponse { .status(statusCode, headers: headers, body: message + "\n") }
}
