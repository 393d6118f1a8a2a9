/// A proxy that passes each request on: the credentials for it, and the responses to its challenges.
struct ForwardingProxy {
    private let server: ProxyServer
    private let authorizations: ProxyAuthorizations

    /// `nil` if the route's connections do not forward requests.
    init?(_ route: ConnectionRoute, _ authorizations: ProxyAuthorizations) {
        guard route.isForwarded, let server = route.proxy else { return nil }
        (self.server, self.authorizations) = (server, authorizations)
    }

    /// The transfer's head, with the headers and credentials for the proxy. Headers of the request itself are not
    /// replaced.
    func head(of transfer: SocketTransfer) -> [UInt8] {
        let (head, own) = (transfer.http1Head, transfer.request.head.headers)
        var added = server.headers.filter { !own.contains(name: $0.name) }.map { "\($0.name): \($0.value)\r\n" }
        if !hasOwnCredentials(transfer), let value = authorization(of: transfer) {
            added.append("Proxy-Authorization: \(value)\r\n")
        }
        return added.isEmpty ? head : head.dropLast(2) + (added.joined() + "\r\n").utf8
    }

    private func authorization(of transfer: SocketTransfer) -> String? {
        authorizations.header(
            for: server, transfer.request.head.method, uri: transfer.target,
            body: { transfer.request.body.isNone ? [] : transfer.request.body.data.map(Array.init) })
    }

    /// Whether the response is a challenge of the proxy, after which the request is sent again with other credentials.
    func mayAnswer(_ head: HTTPResponseHead, to transfer: SocketTransfer) -> Bool {
        guard head.statusCode == 407, transfer.canReplay, !hasOwnCredentials(transfer) else { return false }
        return authorizations.receive(head, from: server, answers: transfer.place?.answers ?? 0)
    }

    private func hasOwnCredentials(_ transfer: SocketTransfer) -> Bool {
        transfer.request.head.headers.contains(name: "Proxy-Authorization")
    }
}

extension HTTPConnection {
    var forwarder: ForwardingProxy? { ForwardingProxy(route, engine.setup.authorizations) }

    func sendAnswer(onSameConnection isReusable: Bool) {
        guard let transfer else { return }
        transfer.change { $0?.answers += 1 }
        release()
        if isReusable, isUsable, let place = transfer.place { return start(transfer, place) }
        engine.close(self)
        engine.restart(transfer, isAnswer: true)
    }
}
