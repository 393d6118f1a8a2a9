/// A connection to a proxy that passes each request on: the credentials for the proxy, and the responses to its
/// challenges.
extension HTTPConnection {
    /// The transfer's head, with the headers and credentials for the proxy. Headers of the request itself are not
    /// replaced.
    func authorizedHead(of transfer: SocketTransfer) -> [UInt8] {
        let head = transfer.http1Head
        guard let proxy = forwarder else { return head }
        let own = transfer.request.head.headers
        var added = proxy.headers.filter { !own.contains(name: $0.name) }.map { "\($0.name): \($0.value)\r\n" }
        if !hasOwnCredentials(transfer), let value = authorization(of: transfer, for: proxy) {
            added.append("Proxy-Authorization: \(value)\r\n")
        }
        return added.isEmpty ? head : head.dropLast(2) + (added.joined() + "\r\n").utf8
    }

    private func authorization(of transfer: SocketTransfer, for proxy: ProxyServer) -> String? {
        engine.authorizations.header(
            for: proxy, transfer.request.head.method, uri: transfer.target,
            body: { transfer.request.body.isNone ? [] : transfer.request.body.data.map(Array.init) })
    }

    /// Whether the response is a challenge of the proxy, after which the request is sent again with other credentials.
    func mayAnswer(_ head: HTTPResponseHead, to transfer: SocketTransfer) -> Bool {
        guard head.statusCode == 407, let proxy = forwarder, transfer.canReplay, !hasOwnCredentials(transfer) else {
            return false
        }
        return engine.authorizations.receive(head, from: proxy, answers: transfer.place?.answers ?? 0)
    }

    func sendAnswer(onSameConnection isReusable: Bool) {
        guard let transfer else { return }
        transfer.change { $0?.answers += 1 }
        release()
        if isReusable, let place = transfer.place { return start(transfer, place) }
        engine.close(self)
        engine.answer(transfer)
    }

    private var forwarder: ProxyServer? { route.isForwarded ? route.proxy : nil }

    private func hasOwnCredentials(_ transfer: SocketTransfer) -> Bool {
        transfer.request.head.headers.contains(name: "Proxy-Authorization")
    }
}
