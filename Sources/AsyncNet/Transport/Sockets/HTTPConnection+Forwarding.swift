/// A connection to a proxy that passes each request on: its credentials, and the answers to its challenges.
extension HTTPConnection {
    /// The transfer's head, with the credentials for the proxy; those that the request itself has are not replaced.
    func authorizedHead(of transfer: SocketTransfer) -> [UInt8] {
        guard let proxy = forwarder, !hasOwnCredentials(transfer) else { return transfer.head }
        let value = engine.authorizations.header(
            for: proxy, transfer.request.head.method, uri: transfer.target,
            body: { transfer.request.body.isNone ? [] : transfer.request.body.data.map(Array.init) })
        guard let value else { return transfer.head }
        return transfer.head.dropLast(2) + "Proxy-Authorization: \(value)\r\n\r\n".utf8
    }

    /// Whether the response is a challenge of the proxy, and the request is sent again with an answer.
    func mayAnswer(_ head: HTTPResponseHead, to transfer: SocketTransfer) -> Bool {
        guard head.statusCode == 407, let proxy = forwarder, transfer.canReplay, !hasOwnCredentials(transfer) else {
            return false
        }
        return engine.authorizations.receive(head, from: proxy, answers: place?.answers ?? 0)
    }

    func sendAnswer(onSameConnection isReusable: Bool) {
        guard let transfer, let place else { return }
        place.answers += 1
        release()
        guard !isReusable else { return start(transfer, place) }
        engine.close(self)
        engine.answer(transfer)
    }

    private var forwarder: ProxyServer? { route.isForwarded ? route.proxy : nil }

    private func hasOwnCredentials(_ transfer: SocketTransfer) -> Bool {
        transfer.request.head.headers.contains(name: "Proxy-Authorization")
    }
}
