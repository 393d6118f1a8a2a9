import Foundation

extension Dial {
    func didConnect(_ result: Result<SocketStream, AsyncNetError>) {
        attempt { () throws(AsyncNetError) in
            let stream = try result.mapError(aboutPeer).get()
            times.connect = engine.thread.now
            guard let proxy = route.proxy else { return try secure(stream) }
            guard proxy.kind == .https else { return try pass(proxy, stream) }
            try shakeHands(engine.tls.session(to: proxy), stream, withProxy: true) {
                [unowned self] () throws(AsyncNetError) in try pass(proxy, stream)
            }
        }
    }

    /// Asks the proxy to connect to the server, unless the proxy forwards each request.
    private func pass(_ proxy: ProxyServer, _ stream: SocketStream) throws(AsyncNetError) {
        if route.isForwarded { return finish(.success((stream, times))) }
        let negotiation = if let negotiation { negotiation } else { try makeNegotiation(proxy) }
        // What a SOCKS proxy is sent is no head, and may be a password.
        let onSend = proxy.kind.isHTTP ? onTunnelHead : nil
        let dialogue = try ProxyDialogue(stream, negotiation, onSend: onSend) { [unowned self] end in
            didSpeak(end, stream)
        }
        step = stream
        dialogue.begin()
    }

    private func makeNegotiation(_ proxy: ProxyServer) throws(AsyncNetError) -> any ProxyNegotiation {
        switch proxy.kind {
        case .http, .https:
            return TunnelNegotiation(to: endpoint, proxy, engine.setup.authorizations, engine.setup.limits)
        case .socks4, .socks4a, .socks5, .socks5h:
            let host: SOCKSNegotiation.Host =
                if let serverAddresses { try .init(serverAddresses, for: proxy) } else { .init(endpoint.host) }
            return SOCKSNegotiation(host, port: endpoint.port, proxy)
        }
    }

    private func didSpeak(_ end: ProxyDialogue.End, _ stream: SocketStream) {
        stopStep()
        attempt { () throws(AsyncNetError) in
            switch end {
            case .done: try secure(stream)
            case .again(let negotiation):
                self.negotiation = negotiation
                if let race { connect(to: race.addresses) }
            case .failure(let error): throw error
            }
        }
    }

    private func secure(_ stream: SocketStream) throws(AsyncNetError) {
        guard let session = try engine.tls.session(for: endpoint, tls, offering: protocols) else {
            return finish(.success((stream, times)))
        }
        watchLateness()
        let stream = stream.tls == nil ? stream : SocketStream(through: stream)
        try shakeHands(session, stream) { [unowned self] in
            // Not `thread.now`, which changes only once a round: one round may do a whole handshake.
            times.handshake = .now
            finish(.success((stream, times)))
        }
    }

    /// Connects once more without a TLS ticket, if the handshake offered one that may be why it failed.
    private func connectsAgain(without session: TLSSession, after error: AsyncNetError) -> Bool {
        let mayBeTicket = error.code == .connectionLost || error.code == .tlsHandshakeFailed
        guard session.forgetTickets(), mayBeTicket, let race else { return false }
        connect(to: race.addresses)
        return true
    }

    /// Makes a TLS handshake with the server, or with the proxy itself, and goes on with `next`.
    private func shakeHands(
        _ session: TLSSession, _ stream: SocketStream, withProxy isWithProxy: Bool = false,
        then next: @escaping () throws(AsyncNetError) -> Void
    ) throws(AsyncNetError) {
        stream.start(session)
        let handshake = try Handshake(stream, session) { [unowned self] result in
            stopStep()
            attempt { () throws(AsyncNetError) in
                do throws(AsyncNetError) { try result.get() } catch {
                    if connectsAgain(without: session, after: error) { return }
                    guard isWithProxy else { throw error }
                    // A new error: this one may have the proxy's certificates, which would be shown as the server's.
                    throw AsyncNetError(error.code, "The TLS connection to the proxy failed: \(error.message)")
                }
                try next()
            }
        }
        step = stream
        handshake.begin()
    }
}
