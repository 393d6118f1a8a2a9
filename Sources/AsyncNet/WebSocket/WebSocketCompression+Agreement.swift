/// The client's offer, and its check of the server's response to the offer (RFC 7692 §5.1 and §7.1).
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

    /// What client and server have agreed on by this response; `nil` if the response does not fit the offer: it lacks
    /// what the client requires of the server, or allows the client more than it offered.
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

    /// The bits of the window that zlib uses if these bits are wanted: 9 to 15.
    package func usedBits(_ bits: Int) -> Int { min(max(bits, WebSocketDeflate.leastWindowBits), 15) }

    /// Whether zlib was found; without zlib, compression is neither offered nor accepted.
    package static var isAvailable: Bool {
        if case .success = Result(catching: Zlib.check) { true } else { false }
    }
}
