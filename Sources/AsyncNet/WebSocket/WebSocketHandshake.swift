import Foundation

package struct WebSocketAgreement: Hashable, Sendable {
    /// The subprotocol (RFC 6455 §1.9); `nil` if there is none.
    package var subprotocol: String?
    package var compression: WebSocketDeflate?

    package init(subprotocol: String? = nil, compression: WebSocketDeflate? = nil) {
        self.subprotocol = subprotocol
        self.compression = compression
    }
}

/// The client's side of the handshake (RFC 6455 §4.1).
package struct WebSocketHandshake: Sendable {
    private let key: String
    private let protocols: [String]
    private let compression: WebSocketCompression?

    /// - Parameter compression: What to offer; `nil` offers none. Without zlib none is offered.
    /// - Throws: ``AsyncNetError`` with code `.invalidRequest` if a subprotocol is not a token, or is repeated.
    package init(
        protocols: [String] = [], compression: WebSocketCompression? = nil,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) throws(AsyncNetError) {
        guard protocols.allSatisfy(HTTPSyntax.isToken) else {
            throw AsyncNetError(.invalidRequest, "The name of a subprotocol is not a token")
        }
        guard Set(protocols).count == protocols.count else {
            throw AsyncNetError(.invalidRequest, "A subprotocol is offered twice")
        }
        var random = random
        let bytes = (0..<2).flatMap { _ in withUnsafeBytes(of: random.next() as UInt64) { Array($0) } }
        key = Data(bytes).base64EncodedString()
        self.protocols = protocols
        self.compression = WebSocketCompression.isAvailable ? compression : nil
    }

    package var headers: HTTPHeaders {
        var headers: HTTPHeaders = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
        ]
        headers.add(name: "Sec-WebSocket-Key", value: key)
        if !protocols.isEmpty {
            headers.add(name: "Sec-WebSocket-Protocol", value: protocols.joined(separator: ", "))
        }
        if let compression { headers.add(name: "Sec-WebSocket-Extensions", value: compression.offer.text) }
        return headers
    }

    /// Checks the response, and returns what it agrees to; throws `.webSocketHandshakeFailed`.
    package func agreement(from response: HTTPResponseHead) throws(AsyncNetError) -> WebSocketAgreement {
        guard response.statusCode == 101 else {
            throw failure("The server refused the WebSocket with status \(response.statusCode)")
        }
        guard response.httpVersion != "HTTP/1.0" else { throw failure("The server's 101 response is one of HTTP/1.0") }
        try checkUpgrade(response.headers)
        return WebSocketAgreement(
            subprotocol: try subprotocol(response.headers), compression: try compression(response.headers))
    }

    private func checkUpgrade(_ headers: HTTPHeaders) throws(AsyncNetError) {
        guard headers.lists("websocket", in: "Upgrade") else {
            throw failure("The server's response has no header Upgrade: websocket")
        }
        guard headers.lists("upgrade", in: "Connection") else {
            throw failure("The server's response has no header Connection: Upgrade")
        }
        guard headers["Sec-WebSocket-Accept"]?.trimmedHTTPSpace == WebSocketAccept.value(for: key) else {
            throw failure("The server's Sec-WebSocket-Accept does not belong to this handshake's key")
        }
    }

    private func subprotocol(_ headers: HTTPHeaders) throws(AsyncNetError) -> String? {
        guard let chosen = headers["Sec-WebSocket-Protocol"]?.trimmedHTTPSpace else { return nil }
        guard protocols.contains(chosen) else {
            throw failure("The server chose a subprotocol that was not offered")
        }
        return chosen
    }

    private func compression(_ headers: HTTPHeaders) throws(AsyncNetError) -> WebSocketDeflate? {
        guard let text = headers["Sec-WebSocket-Extensions"] else { return nil }
        guard let accepted = WebSocketExtension.list(text) else {
            throw failure("The server's Sec-WebSocket-Extensions is malformed")
        }
        guard let first = accepted.first else { return nil }
        guard let compression, accepted.count == 1, let response = WebSocketDeflateParameters(first) else {
            throw failure("The server accepted an extension or a parameter of it that was not offered")
        }
        guard let agreed = compression.agreement(from: response) else {
            throw failure("The server's parameters of permessage-deflate do not match the offer")
        }
        return agreed
    }

    private func failure(_ message: String) -> AsyncNetError { AsyncNetError(.webSocketHandshakeFailed, message) }
}
