import AsyncNet
import Foundation

/// The server's side of the handshake (RFC 6455 §4.2).
struct WebSocketServerHandshake: Sendable {
    /// The headers of the response with status 101.
    let headers: HTTPHeaders
    let agreement: WebSocketAgreement

    /// Why a request is not a handshake: the response's status and headers.
    struct Refusal: Error, Sendable {
        /// 400, or 426 for another version (RFC 6455 §4.4).
        let statusCode: Int
        let headers: HTTPHeaders
        let message: String
    }

    /// Checks a request, and chooses among what it offers.
    ///
    /// - Parameters:
    ///   - method: The request's method, which must be GET.
    ///   - headers: The request's headers.
    ///   - protocols: Subprotocols of the server, in its order of preference; the first one that the client offers is
    ///     chosen, or none.
    ///   - compression: The compression that the server accepts; `nil`, or a machine without zlib, accepts none.
    init(
        method: HTTPMethod, headers request: HTTPHeaders, protocols: [String] = [],
        compression: WebSocketCompression? = nil
    ) throws(Refusal) {
        let key = try Self.key(method, request)
        let offered = (request["Sec-WebSocket-Protocol"] ?? "").split(separator: ",").map {
            String($0).trimmedHTTPSpace
        }
        let subprotocol = protocols.first(where: offered.contains)
        let deflate = WebSocketCompression.isAvailable ? try Self.deflate(request, compression) : nil
        var headers: HTTPHeaders = ["Connection: Upgrade", "Upgrade: websocket"]
        headers.add(name: "Sec-WebSocket-Accept", value: WebSocketAccept.value(for: key))
        if let subprotocol { headers.add(name: "Sec-WebSocket-Protocol", value: subprotocol) }
        if let deflate { headers.add(name: "Sec-WebSocket-Extensions", value: deflate.parameters.text) }
        self.headers = headers
        agreement = WebSocketAgreement(subprotocol: subprotocol, compression: deflate?.agreed)
    }

    private static func key(_ method: HTTPMethod, _ headers: HTTPHeaders) throws(Refusal) -> String {
        guard method == .get else { throw refusal("The method of a handshake is GET") }
        guard headers.lists("websocket", in: "Upgrade"), headers.lists("upgrade", in: "Connection") else {
            throw refusal("The request does not ask for an upgrade to websocket")
        }
        guard headers["Sec-WebSocket-Version"]?.trimmedHTTPSpace == "13" else {
            throw Refusal(
                statusCode: 426, headers: ["Sec-WebSocket-Version: 13", "Upgrade: websocket", "Connection: Upgrade"],
                message: "The version of WebSocket is not 13")
        }
        let key = headers["Sec-WebSocket-Key"]?.trimmedHTTPSpace ?? ""
        guard Data(base64Encoded: key)?.count == 16 else {
            throw refusal("Sec-WebSocket-Key is not 16 bytes in base64")
        }
        return key
    }

    /// The response to the first offer that is valid; other offers are declined (RFC 7692 §5.1).
    private static func deflate(
        _ headers: HTTPHeaders, _ compression: WebSocketCompression?
    ) throws(Refusal) -> (parameters: WebSocketDeflateParameters, agreed: WebSocketDeflate)? {
        guard let compression, let text = headers["Sec-WebSocket-Extensions"] else { return nil }
        guard let offers = WebSocketExtension.list(text) else { throw refusal("Sec-WebSocket-Extensions is malformed") }
        return offers.lazy.compactMap(WebSocketDeflateParameters.init).first.map(compression.response)
    }

    private static func refusal(_ message: String) -> Refusal {
        Refusal(statusCode: 400, headers: [:], message: message)
    }
}

extension WebSocketCompression {
    /// The server's response to an offer, and the compression that client and server then use.
    func response(
        to offer: WebSocketDeflateParameters
    ) -> (parameters: WebSocketDeflateParameters, agreed: WebSocketDeflate) {
        var agreed = WebSocketDeflate()
        agreed.serverContextTakeover = serverContextTakeover && !offer.serverNoContextTakeover
        agreed.clientContextTakeover = clientContextTakeover && !offer.clientNoContextTakeover
        agreed.serverWindowBits = min(usedBits(serverWindowBits), offer.serverWindowBits ?? 15)
        // A client that does not offer the parameter does not understand it in the response.
        agreed.clientWindowBits = offer.clientWindowBits.map { min(usedBits(clientWindowBits), $0.bits) } ?? 15
        agreed.minimumSize = minimumSize
        var response = WebSocketDeflateParameters()
        response.serverNoContextTakeover = !agreed.serverContextTakeover
        response.clientNoContextTakeover = !agreed.clientContextTakeover
        if agreed.serverWindowBits < 15 || offer.serverWindowBits != nil {
            response.serverWindowBits = agreed.serverWindowBits
        }
        if agreed.clientWindowBits < 15 { response.clientWindowBits = .atMost(agreed.clientWindowBits) }
        return (response, agreed)
    }
}
