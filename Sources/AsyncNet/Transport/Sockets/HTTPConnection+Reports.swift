import Foundation

/// What observers of a transfer learn of its connection.
extension HTTPConnection {
    func reportConnection(_ transfer: SocketTransfer, _ head: HTTPResponseHead) {
        guard let interests = transfer.request.interests, interests.connections else { return }
        let showsCertificates = interests.certificates && transfers == 1
        transfer.request.onEvent?(
            .connected(
                ConnectionInfo(
                    isReused: transfers > 1, httpVersion: head.httpVersion, remoteAddress: remote?.text,
                    remotePort: remote.flatMap { $0.port > 0 ? $0.port : nil },
                    certificates: showsCertificates ? certificates : [],
                    tls: route.endpoint.isTLS ? stream.tls?.agreement : nil)))
    }

    /// Those of the server: the TLS to a proxy that passes requests on is not with the server.
    private var certificates: [String] {
        route.endpoint.isTLS ? stream.tls?.chain.map(PEM.text) ?? [] : []
    }

    func report(_ transfer: SocketTransfer, _ delivery: ResponseDelivery) {
        guard !transfer.pipe.isEnded, let onEvent = transfer.request.onEvent else { return }
        onEvent(.metrics(metrics(transfer, delivery)))
    }

    private func metrics(_ transfer: SocketTransfer, _ delivery: ResponseDelivery) -> TransportMetrics {
        let isNew = transfers == 1
        func since(_ instant: ContinuousClock.Instant?) -> Duration {
            instant.map { max(.zero, $0 - transfer.start) } ?? .zero
        }
        let timings = TransferTimings(
            nameLookup: isNew ? since(opening.lookup) : .zero, connect: isNew ? since(opening.connect) : .zero,
            tlsHandshake: isNew ? since(opening.handshake) : .zero, firstByte: since(delivery.firstByte),
            total: since(engine.thread.now))
        let wantsCertificates =
            engine.configuration.reportsCertificates || transfer.request.interests?.certificates == true
        return TransportMetrics(
            httpVersion: delivery.head?.httpVersion, isConnectionReused: delivery.firstByte == nil ? nil : !isNew,
            remoteAddress: remote?.text, timings: timings,
            wireBytes: WireBytes(
                sentHead: Int64(head.count), sentBody: sender?.sentBody ?? 0,
                receivedHead: Int64(delivery.receiver.headBytes), receivedBody: delivery.receivedBytes),
            certificates: isNew && wantsCertificates ? certificates : [])
    }
}
