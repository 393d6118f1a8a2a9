import Foundation

extension PooledConnection {
    func reportConnection(_ transfer: SocketTransfer, _ head: HTTPResponseHead, isNew: Bool, roundTrip: Duration? = nil)
    {
        guard let interests = transfer.request.interests else { return }
        let showsCertificates = interests.certificates && isNew
        transfer.request.onEvent?(
            .connected(
                ConnectionInfo(
                    isReused: !isNew, httpVersion: head.httpVersion, remoteAddress: remoteAddress,
                    remotePort: remotePort,
                    certificates: showsCertificates ? certificates : [],
                    tls: route.endpoint.isTLS ? stream.tls?.agreement : nil, roundTrip: roundTrip)))
    }

    /// The server's certificates; empty if a proxy passes requests on, since the connection's TLS is then the proxy's.
    private var certificates: [String] {
        route.endpoint.isTLS ? stream.tls?.chain.map(PEM.text) ?? [] : []
    }

    func report(_ transfer: SocketTransfer, _ delivery: ResponseDelivery, isNew: Bool, _ bytes: () -> WireBytes) {
        guard !transfer.pipe.isEnded, let onEvent = transfer.request.onEvent else { return }
        func since(_ instant: ContinuousClock.Instant?) -> Duration {
            instant.map { max(.zero, $0 - transfer.start) } ?? .zero
        }
        let timings = TransferTimings(
            nameLookup: isNew ? since(opening.lookup) : .zero, connect: isNew ? since(opening.connect) : .zero,
            tlsHandshake: isNew ? since(opening.handshake) : .zero, firstByte: since(delivery.firstByte),
            total: since(engine.thread.now))
        let wantsCertificates =
            engine.configuration.reportsCertificates || transfer.request.interests?.certificates == true
        onEvent(
            .metrics(
                TransportMetrics(
                    httpVersion: delivery.head?.httpVersion,
                    isConnectionReused: delivery.firstByte == nil ? nil : !isNew,
                    remoteAddress: remoteAddress, timings: timings, wireBytes: bytes(),
                    certificates: isNew && wantsCertificates ? certificates : [],
                    certificateExpiry: route.endpoint.isTLS ? stream.tls?.expiry : nil)))
    }
}
