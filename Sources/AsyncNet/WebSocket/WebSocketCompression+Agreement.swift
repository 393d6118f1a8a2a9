/// What the client offers, and makes of the server's parameters (RFC 7692 §5.1 and §7.1).
extension WebSocketCompression {
    var offer: WebSocketDeflateParameters {
        var offer = WebSocketDeflateParameters()
        offer.serverNoContextTakeover = !serverContextTakeover
        offer.clientNoContextTakeover = !clientContextTakeover
        if usedBits(serverWindowBits) < 15 { offer.serverWindowBits = usedBits(serverWindowBits) }
        let bits = usedBits(clientWindowBits)
        offer.clientWindowBits = bits < 15 ? .atMost(bits) : .any
        return offer
    }

    /// What a response to the offer means for the client; `nil` if it is not a response to it: it lacks what was
    /// required of the server, or allows more than was offered.
    func agreement(from response: WebSocketDeflateParameters) -> WebSocketDeflate? {
        let offer = offer
        if offer.serverNoContextTakeover, !response.serverNoContextTakeover { return nil }
        if let most = offer.serverWindowBits, response.serverWindowBits ?? 15 > most { return nil }
        let most = offer.clientWindowBits?.bits ?? 15
        guard response.clientWindowBits != .any, response.clientWindowBits?.bits ?? most <= most else { return nil }
        var agreed = WebSocketDeflate()
        agreed.serverContextTakeover = !response.serverNoContextTakeover
        agreed.clientContextTakeover = clientContextTakeover && !response.clientNoContextTakeover
        agreed.serverWindowBits = response.serverWindowBits ?? 15
        agreed.clientWindowBits = response.clientWindowBits?.bits ?? most
        agreed.minimumSize = minimumSize
        return agreed
    }

    /// The window that zlib has for these bits.
    package func usedBits(_ bits: Int) -> Int { min(max(bits, WebSocketDeflate.leastWindowBits), 15) }

    /// Whether zlib is there; without it, compression is neither offered nor accepted.
    package static var isAvailable: Bool {
        if case .success = Result(catching: Zlib.check) { true } else { false }
    }
}
