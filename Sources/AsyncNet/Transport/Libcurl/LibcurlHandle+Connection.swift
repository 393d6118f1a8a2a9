import CAsyncNetLibcurl
import Foundation

/// The connection that a transfer uses: whether the request may be sent on it, and what the server processed there.
extension LibcurlHandle {
    struct ConnectionUse {
        /// How many connections libcurl had made for the transfer when the request was last sent.
        var connectionCount = 0
        /// The local address and port of the connection, if the request was sent on it and must not be sent again.
        var name: String?
        /// The local port; 0 if it is not known.
        var port: Int32 = 0
        /// The transfer's HTTP/2 stream, if libcurl reported it.
        var stream: UInt32?
        /// Whether the server reported that it did not process the request on an earlier connection.
        var isRefused = false
        /// The connection, if it is observed.
        private(set) var life: ConnectionLife?

        mutating func use(_ life: ConnectionLife?) {
            self.life?.end()
            self.life = life
            life?.begin()
        }
    }

    static var lost: AsyncNetError {
        AsyncNetError(
            .connectionLost,
            "The server closed a kept connection without a response; it may have processed the request, which is not "
                + "sent again since its method is not idempotent")
    }

    /// Called before libcurl sends the request: the first time, and each time it sends the request again.
    func maySend(from address: UnsafePointer<CChar>?, _ port: Int32) -> Bool {
        guard let exchange, trustFailure == nil else { return true }
        let count = lc_new_connections(easy.pointer)
        let picked = worker.connections.connection(fromPort: port, isNew: count > connection.connectionCount)
        let permission = resendPolicy.maySend(on: picked, isUnprocessed: connection.isRefused || isUnprocessed)
        guard permission != .refuse, permission == .send || rewindBody() else {
            if let name = connection.name { receive(worker.connections.takeUnreadResponse(at: name)) }
            return false
        }
        use(count, address, port)
        if permission == .sendAgain { exchange.request.onEvent?(.repeated) }
        return true
    }

    private func use(_ count: Int, _ address: UnsafePointer<CChar>?, _ port: Int32) {
        (connection.connectionCount, connection.port) = (count, port)
        http3?.isSent = true
        if exchange?.request.isHeadObserved == true { reportHeads(true) }
        (connection.stream, connection.isRefused) = (nil, false)
        if let request = exchange?.request, let observer = request.connectionObserver {
            connection.use(worker.connections.life(onPort: port, request.head.url, observer))
        }
        // An unread response with this local address belongs to a former connection.
        _ = worker.connections.takeUnreadResponse(at: Self.name(address, port))
        if !resendPolicy.isIdempotent { connection.name = Self.name(address, port) }
    }

    /// Reports the connection when the response's head has arrived, since only then the HTTP version is known.
    func reportConnection(_ exchange: LibcurlExchange, _ head: HTTPResponseHead) {
        guard let interests = exchange.request.interests, interests.connections else { return }
        var port = 0
        let address = lc_peer(easy.pointer, &port)
        let info = ConnectionInfo(
            isReused: lc_new_connections(easy.pointer) == 0, httpVersion: head.httpVersion,
            remoteAddress: address.map { String(cString: $0) }, remotePort: port > 0 ? port : nil,
            certificates: interests.certificates ? easy.certificates : [])
        exchange.request.onEvent?(.connected(info))
    }

    /// Whether the server reported that it did not process the transfer's stream.
    private var isUnprocessed: Bool {
        connection.stream.map { worker.connections.isUnprocessed($0, onPort: connection.port) } ?? false
    }

    /// libcurl seeks to the body's start only if it had sent some bytes of the body; bytes that it had read and not
    /// sent would be lost.
    private func rewindBody() -> Bool {
        guard let exchange, upload.sentBytes > 0 else { return true }
        guard exchange.request.body.data != nil || exchange.restartReading() else {
            resendPolicy.cannotSendAgain()
            return false
        }
        upload.sentBytes = 0
        return true
    }

    /// Called with libcurl's verbose output: a line about its work, or bytes that it sends or receives.
    func receive(verbose output: UnsafeRawBufferPointer, _ kind: Int32) {
        switch Int(kind) {
        case LC_INFO_TEXT where isVerbose: receive(verboseLine: output)
        case LC_INFO_HEADER_OUT:
            guard let request = exchange?.request, request.isHeadObserved else { return }
            request.onEvent?(.sentHead(SentHead(output)))
            if output.suffix(4).elementsEqual("\r\n\r\n".utf8) { reportHeads(false) }
        default: break
        }
    }

    /// Turns libcurl's verbose output on right before the head is sent, and off after it: libcurl would write about all else
    /// that it does, sends and receives too, which takes as long as all events of a request. With a proxy it is on all the
    /// time, since the head of a CONNECT is sent earlier.
    private func reportHeads(_ isOn: Bool) {
        if !isVerbose, !template.mayUseProxy { easy.set(LC_VERBOSE, isOn ? 1 : 0) }
    }

    /// Called with each line that libcurl reports about its work, if `isVerbose` is set.
    private func receive(verboseLine line: UnsafeRawBufferPointer) {
        switch GoAwayLog.Message(line) {
        case .stream(let stream): connection.stream = stream
        case .goAway(let lastStream): worker.connections.noteGoAway(lastStream: lastStream, onPort: connection.port)
        // After the request was sent again, this message may be about the first time.
        case .refused: connection.isRefused = connection.isRefused || resendPolicy.sendings == 1
        case .connectionDied:
            connection.isRefused = connection.isRefused || isUnprocessed
            connection.port = 0
        case nil: break
        }
    }

    /// The local address and port, by which `UnreadResponses` identifies connections.
    private static func name(_ address: UnsafePointer<CChar>?, _ port: Int32) -> String {
        "\(address.map { String(cString: $0) } ?? "") \(port)"
    }
}
