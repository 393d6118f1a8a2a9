import AsyncNet
import Foundation

/// `--ws` and `--connect`.
extension Anet {
    /// The options that mean nothing without a response that ends, and whether they were given.
    var exchangeOptions: [(String, Bool)] {
        let sent = request.bodies.map { ($0, true) } + [("--request", request.method != nil), ("--head", request.head)]
        let printed: [(String, Bool)] = [
            ("--output", !output.output.isEmpty), ("--include", output.include), ("--curl", output.curl),
            ("--timing", output.timing), ("--trace", output.trace), ("--write-out", output.writeOut != nil),
            ("--dump-header", output.dumpHeader != nil), ("--etag-save", output.etagSave != nil),
        ]
        return sent + printed + [
            ("--stream", transfer.stream != nil), ("--proto", transfer.proto != nil),
            ("--record", recording.record != nil), ("--replay", recording.replay != nil),
        ]
    }

    /// - Throws: ``ExitError``.
    func converse(_ calls: [Call], on session: Session) async throws(ExitError) {
        let conversation = try Conversation(duplex, deadline: transfer.deadline)
        if let peer = duplex.connect {
            let tls = duplex.tls ? try self.tls.configuration(for: peer.host) : nil
            try await StreamClient(
                session: session, conversation: conversation, peer: peer, tls: tls, isVerbose: output.verbose,
                showsCertificates: self.tls.showCerts, isLingering: duplex.linger != nil
            ).run()
        } else {
            guard calls.count == 1, calls[0].method == .get else {
                throw ExitError(ExitStatus.usage, "--ws takes one URL, and no name=value.")
            }
            try await converse(calls[0], conversation, on: session)
        }
    }

    private func converse(_ call: Call, _ conversation: Conversation, on session: Session) async throws(ExitError) {
        let client = WebSocketClient(
            socket: webSocket(call, on: session), conversation: conversation, options: duplex,
            isVerbose: output.verbose, reconnects: reconnection != .never,
            showsCertificates: tls.showCerts, server: URL(string: call.text)?.host ?? "the server")
        // Read before the handshake begins, so that nothing is missed.
        let events = session.events
        async let handshakes: Void = show(events)
        do throws(ExitError) { try await client.run() } catch {
            await session.finish()
            await handshakes
            throw error
        }
        await session.finish()
        await handshakes
    }

    /// Until the session ends: the heads of handshakes with --verbose, the certificates of servers with --show-certs.
    private func show(_ events: some AsyncSequence<SessionEvent, Never> & Sendable) async {
        let listener = Listener(output, label: "", knowsSentHeads: false)
        for await event in events {
            listener.show(event.event)
            guard tls.showCerts, let metrics = event.summary?.metrics else { continue }
            for line in CertificateText.notes(of: metrics, label: "") { Console.note(line) }
        }
    }

    // MARK: The WebSocket

    private func webSocket(_ call: Call, on session: Session) -> WebSocket {
        let name = "Sec-WebSocket-Protocol"
        let given = call.headers.values(for: name).flatMap { $0.split(separator: ",") }
            .map { $0.trimmingCharacters(in: .whitespaces) }
        var headers = call.headers
        headers.remove(name)
        return session.webSocket(
            call.text, protocols: duplex.subprotocol + given.filter { !$0.isEmpty }, headers: headers,
            options: webSocketOptions, request: AsyncNet.RequestOptions(credential: call.credential),
            reconnection: reconnection)
    }

    private var webSocketOptions: WebSocketOptions {
        var options = WebSocketOptions(pingInterval: duplex.ping.map { .seconds($0) })
        guard let most = transfer.maxBody.map({ Int(clamping: $0) }) else { return options }
        (options.maximumMessageSize, options.maximumFrameSize) = (most, most)
        return options
    }

    /// With --retry a lost connection is replaced, unless --no-reconnect is given.
    private var reconnection: WebSocketReconnection {
        guard retries.retry > 0, !transfer.noReconnect else { return .never }
        return .always(delay: .seconds(retries.retryDelay ?? 1), limit: retries.retry)
    }
}
