/// A connection to a proxy that passes each request on: the credentials for the proxy, and the responses to its
/// challenges.
extension HTTPConnection {
    private var forwarder: ProxyServer? { route.isForwarded ? route.proxy : nil }

    /// The transfer's head, with the headers and credentials for the proxy. Headers of the request itself are not
    /// replaced.
    func head(of transfer: SocketTransfer) -> [UInt8] {
        let (head, own) = (transfer.http1Head, transfer.request.head.headers)
        guard let forwarder else { return head }
        var added = forwarder.headers.filter { !own.contains(name: $0.name) }.map { "\($0.name): \($0.value)\r\n" }
        if !hasOwnCredentials(transfer), let value = authorization(of: transfer, for: forwarder) {
            added.append("Proxy-Authorization: \(value)\r\n")
        }
        return added.isEmpty ? head : head.dropLast(2) + (added.joined() + "\r\n").utf8
    }

    private func authorization(of transfer: SocketTransfer, for proxy: ProxyServer) -> String? {
        engine.setup.authorizations.header(
            for: proxy, transfer.request.head.method, uri: transfer.target,
            body: { transfer.request.body.isNone ? [] : transfer.request.body.data.map(Array.init) })
    }

    /// Whether the response is a challenge of the proxy, after which the request is sent again with other credentials.
    func mayAnswer(_ head: HTTPResponseHead, to transfer: SocketTransfer) -> Bool {
        guard let forwarder, head.statusCode == 407, transfer.canReplay, !hasOwnCredentials(transfer) else {
            return false
        }
        return engine.setup.authorizations.receive(head, from: forwarder, answers: transfer.answers)
    }

    private func hasOwnCredentials(_ transfer: SocketTransfer) -> Bool {
        transfer.request.head.headers.contains(name: "Proxy-Authorization")
    }

    func sendAnswer(onSameConnection isReusable: Bool) {
        guard let transfer else { return }
        transfer.answers += 1
        release()
        if isReusable, isUsable { return start(transfer) }
        engine.close(self)
        engine.restart(transfer, isAnswer: true)
    }
}
