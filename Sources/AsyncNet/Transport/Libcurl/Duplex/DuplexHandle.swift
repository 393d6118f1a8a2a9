import CLibcurl
import Foundation

/// One of libcurl's easy handles with a connection that carries no request. Used on its loop's thread only.
final class DuplexHandle {
    /// What the worker does with the connection.
    enum Outcome {
        case goOn
        /// There may be more, which the socket does not report; others are served before.
        case goOnSoon
        /// The connection is closed soon, and after this time in any case.
        case linger(Duration)
        case close(AsyncNetError?)
    }

    let easy: EasyHandle
    private let opening: DuplexLoop.Opening
    /// Holds what the handle's options point to.
    private let template: LibcurlTemplate
    private let proxyHost: String?
    private let unixSocket: String?
    /// The error of a connection whose server was not trusted: this one only reads the server's certificates for it.
    private let inspected: AsyncNetError?
    private let errorText: UnsafeMutablePointer<CChar>
    private var tunnel: TunnelResponse
    /// Where the connection leads.
    private var url: URL?
    private var socket: Int32 = -1
    /// libcurl's multi handle, of this connection alone: when libcurl opens a connection it closes the others of the same multi
    /// handle that carry no request and have received something. `nil` before the connection is opened, and once its
    /// bytes do not pass through libcurl.
    var multi: OpaquePointer?

    private var outgoing: ArraySlice<Data> = []
    /// How many bytes of the first piece are sent.
    private var sentOfFirst = 0
    private var finishesSending = false
    private var closesWhenSent = false
    private var mayReceive = true
    private var isBlocked = false
    /// Set if the connection has neither TLS nor a proxy, so that its bytes do not have to pass through libcurl.
    private var direct: DirectSocket?
    /// Set when the peer receives no more: what it has sent is still received, and its end closes the connection.
    private var sendingFailure: AsyncNetError?
    /// Whether the tasks know the connection as closed.
    private(set) var isLeaving = false
    /// Whether the connection is closed as soon as the peer's system has all bytes.
    private var leavesSoon = false
    /// When the connection is closed at the latest, once it is leaving.
    private var farewellEnd = ContinuousClock.now
    /// How long the peer has to take the last data.
    private let closeTimeout: Duration
    /// Whether there is TLS on the socket, to the host or to the proxy.
    private let isEncrypted: Bool

    var id: Int { opening.id }
    var isOpen: Bool { socket >= 0 }
    private var pipe: DuplexPipe { opening.pipe }

    /// - Parameter inspected: The error of a server that was not trusted. The handle then verifies nothing, and its
    ///   connection is closed after the handshake.
    /// - Throws: ``AsyncNetError`` for settings that this libcurl refuses.
    init(
        _ opening: DuplexLoop.Opening, _ loop: DuplexLoop, _ connections: LoopConnections,
        inspecting inspected: AsyncNetError? = nil
    ) throws(AsyncNetError) {
        let configuration = loop.configuration
        var tls = try loop.tls(for: opening.request)
        if inspected != nil { tls = TLSConfiguration(trust: .disabled, minimumVersion: tls.minimumVersion) }
        (self.opening, self.inspected) = (opening, inspected)
        (proxyHost, unixSocket) = (configuration.proxy.host, configuration.unixSocket)
        if !opening.request.isTLS, !configuration.proxy.mayBeUsed(isTLS: false) { direct = opening.socket }
        closeTimeout = configuration.connectTimeout
        isEncrypted = opening.isEncrypted
        guard let template = LibcurlTemplate(configuration, tls, connections, nil), let easy = template.copy() else {
            throw AsyncNetError(.transportFailed, "libcurl has no memory for another connection")
        }
        if let failure = template.failure { throw failure }
        self.template = template
        self.easy = easy
        tunnel = TunnelResponse(limit: configuration.maximumHeaderBytes)
        errorText = .allocate(capacity: Int(LC_ERROR_BUFFER_SIZE))
        errorText.pointee = 0
        setOptions(configuration)
    }

    deinit { errorText.deallocate() }

    static func at(_ pointer: UnsafeMutableRawPointer) -> DuplexHandle {
        Unmanaged<DuplexHandle>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Called with what a proxy responds to CONNECT: no request is sent by libcurl, so no other head is received.
    func receiveHeader(_ lines: UnsafeRawBufferPointer) {
        if let url { tunnel.receive(lines, for: url) }
    }

    private func setOptions(_ configuration: LibcurlTransport.Configuration) {
        let request = opening.request
        let isV6 = request.host.contains(":")
        let host = isV6 ? "[\(request.host.replacing("%", with: "%25"))]" : request.host
        let address = "\(request.isTLS ? "https" : "http")://\(host):\(request.port)/"
        url = URL(string: address)
        easy.set(LC_URL, address)
        if configuration.proxy.isBypassed(by: request.host, port: request.port) { easy.set(LC_PROXY, "") }
        easy.set(LC_CONNECT_ONLY, 1)
        easy.set(LC_HTTPPROXYTUNNEL, 1)
        easy.set(LC_FRESH_CONNECT, 1)
        easy.set(LC_HTTP_VERSION, LC_HTTP_1_1)
        easy.set(LC_SSL_ENABLE_ALPN, request.isHTTP ? 1 : 0)
        easy.set(LC_CERTINFO, request.isTLS ? 1 : 0)
        if inspected != nil {
            easy.set(LC_SSL_SESSIONID_CACHE, 0)
            easy.set(
                LC_TIMEOUT_MS, max(configuration.leastTimeToInspect, configuration.connectTimeout / 4).milliseconds)
        }
        easy.set(LC_SUPPRESS_CONNECT_HEADERS, 0)
        easy.setConnection(opening.id, self, errorText: errorText)
    }

    // MARK: Opening

    /// What a connection that libcurl has made, or has failed to make, is to be used for.
    enum Opened {
        case use
        /// Another connection shows the certificates of the server, which is not trusted.
        case inspect(DuplexHandle, AsyncNetError)
        case close
    }

    func opens(_ result: Int32, _ loop: DuplexLoop, _ connections: LoopConnections) -> Opened {
        socket = result == 0 ? lc_socket(easy.pointer) : -1
        if let inspected { return fail(inspected.with(trustFailure(result == 0 ? easy.certificates : []))) }
        if isOpen {
            if let direct {
                socket = lc_take_socket(socket)
                guard isOpen else {
                    return fail(AsyncNetError(.transportFailed, "File descriptors have run out"))
                }
                direct.open(socket)
            }
            opening.opened.fulfil(.success(info))
            return .use
        }
        let error = error(result, connections)
        guard [51, 60, 90, 91].contains(result) else { return fail(error) }
        if error.code == .certificatePinMismatch { return fail(error.with(trustFailure(easy.certificates))) }
        guard let next = try? DuplexHandle(opening, loop, connections, inspecting: error) else { return fail(error) }
        return .inspect(next, error)
    }

    private func fail(_ error: AsyncNetError) -> Opened {
        opening.opened.fulfil(.failure(error))
        return .close
    }

    private func trustFailure(_ certificates: [String]) -> ServerTrustFailure {
        ServerTrustFailure(
            certificates: ServerCertificate.chain(certificates),
            expectedPins: inspected == nil ? template.tls.pins : [])
    }

    /// What the caller has given since the connection was asked for, and what the server has sent.
    func begin() -> Outcome {
        if case .close(let error) = takeOutgoing() { return .close(error) }
        return receive()
    }

    private var info: ConnectionInfo {
        var port = 0
        let address = lc_peer(easy.pointer, &port).map { String(cString: $0) }
        return ConnectionInfo(
            isReused: false, remoteAddress: address, remotePort: port > 0 ? port : nil,
            certificates: easy.certificates)
    }

    private func error(_ result: Int32, _ connections: LoopConnections? = nil) -> AsyncNetError {
        var metrics = lc_metrics()
        lc_read_metrics(easy.pointer, &metrics)
        return LibcurlErrors.error(
            for: result,
            LibcurlErrors.Circumstances(
                text: String(cString: errorText), verifyResult: metrics.verify_result,
                refusal: url.flatMap { tunnel.refusal(metrics.connect_status, $0) },
                systemError: connections?.systemError(metrics) ?? 0, proxyHost: proxyHost, unixSocket: unixSocket))
    }

    /// Whether libcurl has nothing to do with the open connection.
    var isDirect: Bool { direct != nil && isOpen }

    /// Before the worker closes the connection in libcurl: no task may use its socket any more.
    func willClose() {
        guard isDirect else { return }
        direct?.close()
        lc_close(socket)
        socket = -1
    }

    /// The worker has closed the connection.
    func closed(_ error: AsyncNetError?) {
        opening.opened.fulfil(.failure(error ?? AsyncNetError(.cancelled)))
        pipe.didClose(error)
    }

    // MARK: Waiting

    /// The socket, and what the connection waits for; `nil` if nothing.
    ///
    /// A socket that nothing is wanted of is not watched: it would report its end again and again.
    var waiter: lc_waiter? {
        let wanted = (mayReceive ? LC_READABLE : 0) | (isBlocked ? LC_WRITABLE : 0)
        return wanted == 0 ? nil : lc_waiter(socket: socket, wanted: Int16(wanted), ready: 0)
    }

    /// Receives first: a peer that receives no more may have said why.
    func serve(_ ready: Int16) -> Outcome {
        let received = mayReceive && ready != Int16(LC_WRITABLE) ? receive() : .goOn
        if case .close = received { return received }
        guard isBlocked, ready != Int16(LC_READABLE) else { return received }
        let sent = send()
        if case .close = sent { return sent }
        if case .goOnSoon = received, !isLeaving { return received }
        return sent
    }

    // MARK: Receiving

    /// Receives until nothing has arrived, or the pipe is full: the TLS library may have bytes that the socket does not
    /// report any more. A peer that sends without an end does not keep the others waiting.
    func receive() -> Outcome {
        if isLeaving { return discard() }
        if let error = pipe.receivingFailure { return .close(error) }
        for _ in 0..<Self.mostReads {
            let room = pipe.receivingRoom()
            mayReceive = room > 0
            guard mayReceive else { return .goOn }
            let size = min(room, DirectSocket.bufferSize)
            if let outcome = direct.map({ receive(from: $0, size) }) ?? receiveOnce(atMost: size) { return outcome }
        }
        return .goOnSoon
    }

    /// In a row, of one connection.
    private static let mostReads = 16

    /// A connection with more than one read's bytes is handed over to its reader; after a shorter one the socket reports
    /// what follows.
    private func receive(from socket: DirectSocket, _ size: Int) -> Outcome {
        switch socket.receive(atMost: size) {
        case .bytes(let data, _):
            pipe.receive(data)
            guard data.count == size else { return .goOn }
            mayReceive = false
            pipe.handOver()
            return .goOn
        case .nothing: return .goOn
        case .end: return endOfReceiving(0)
        case .failure(let error): return .close(error)
        }
    }

    /// - Returns: `nil` if there may be more.
    private func receiveOnce(atMost size: Int) -> Outcome? {
        guard let buffer = malloc(size) else {
            return .close(AsyncNetError(.transportFailed, "There is no memory for received bytes"))
        }
        let (count, result) = fill(buffer, size)
        if count > 0 { pipe.receive(Data(taking: buffer, count: count, of: size)) } else { free(buffer) }
        return count == size ? nil : endOfReceiving(result)
    }

    /// A record of TLS has at most 16 KiB: a buffer takes several, so that the reader is not woken for each.
    ///
    /// - Returns: The result is that of the last call, unless the buffer is full.
    private func fill(_ buffer: UnsafeMutableRawPointer, _ size: Int) -> (count: Int, result: Int32) {
        var filled = 0
        while filled < size {
            var count = 0
            let result = lc_receive(easy.pointer, buffer + filled, size - filled, &count)
            guard result == 0, count > 0 else { return (filled, result) }
            filled += count
        }
        return (filled, 0)
    }

    private func endOfReceiving(_ result: Int32) -> Outcome {
        if result == Int32(LC_RESULT_AGAIN) { return .goOn }
        mayReceive = false
        guard result == 0 else { return .close(error(result)) }
        if let sendingFailure { return .close(sendingFailure) }
        pipe.endReceiving(.success(()))
        return .goOn
    }

    // MARK: Sending

    func takeOutgoing() -> Outcome {
        let taken = pipe.takeOutgoing()
        outgoing.append(contentsOf: taken.data.map(Self.fixed))
        finishesSending = finishesSending || taken.isLast
        closesWhenSent = closesWhenSent || taken.closes
        return isBlocked ? afterSending : send()
    }

    /// TLS libraries want a piece that they could not send again from the same address. `Data` keeps few bytes inside itself,
    /// and so at another address each time.
    private static func fixed(_ data: Data) -> Data {
        guard data.count <= 32, let copy = malloc(data.count) else { return data }
        data.copyBytes(to: UnsafeMutableRawBufferPointer(start: copy, count: data.count))
        return Data(bytesNoCopy: copy, count: data.count, deallocator: .free)
    }

    private func send() -> Outcome {
        isBlocked = false
        while let first = outgoing.first {
            switch send(first) {
            case .sent(let count): advance(count, in: first)
            case .blocked:
                isBlocked = true
                return afterSending
            case .failed(let error): return endSending(error)
            }
        }
        return afterSending
    }

    private enum Sent {
        case sent(Int)
        case blocked
        case failed(AsyncNetError)
    }

    private func endSending(_ error: AsyncNetError) -> Outcome {
        guard !closesWhenSent else { return .close(error) }
        sendingFailure = error
        outgoing = []
        pipe.failSending(error)
        pipe.takeBack()
        return receive()
    }

    private func send(_ data: Data) -> Sent {
        data.withUnsafeBytes { bytes in
            let rest = UnsafeRawBufferPointer(rebasing: bytes[sentOfFirst...])
            guard let start = rest.baseAddress else { return .sent(0) }
            return direct == nil ? send(start, rest.count) : sendDirectly(start, rest.count)
        }
    }

    private func send(_ bytes: UnsafeRawPointer, _ size: Int) -> Sent {
        var count = 0
        let result = lc_send(easy.pointer, bytes, size, &count)
        if count > 0 { return .sent(count) }
        return result == Int32(LC_RESULT_AGAIN) ? .blocked : result == 0 ? .sent(0) : .failed(error(result))
    }

    private func sendDirectly(_ bytes: UnsafeRawPointer, _ size: Int) -> Sent {
        let count = lc_send_directly(socket, bytes, size)
        if count >= 0 { return .sent(count) }
        return count == -LC_NOTHING ? .blocked : .failed(DirectSocket.lost(Int32(-count)))
    }

    private func advance(_ count: Int, in first: Data) {
        sentOfFirst += count
        if sentOfFirst == first.count {
            _ = outgoing.takeFirst(leaving: Data())
            sentOfFirst = 0
        }
        pipe.didSend(count)
    }

    private var afterSending: Outcome {
        guard outgoing.isEmpty else { return closesWhenSent ? .linger(closeTimeout) : .goOn }
        if closesWhenSent { return leave() }
        if finishesSending {
            finishesSending = false
            _ = lc_finish_sending(socket)
        }
        return .goOn
    }

    // MARK: Closing

    /// Closes the connection so that the peer receives all data: a socket that is closed with unread bytes resets the
    /// connection, and the peer may then drop what it has not read. So the peer is told that no more follows, and what it
    /// sends before it closes its side is received and dropped.
    private func leave() -> Outcome {
        guard !isLeaving else { return .linger(farewellEnd - .now) }
        isLeaving = true
        direct?.close()
        pipe.didClose(nil)
        if !isEncrypted { _ = lc_finish_sending(socket) }
        mayReceive = true
        farewellEnd = .now + Self.farewell
        return discard()
    }

    /// The program waits for the end of this connection.
    func leaveSoon() -> Outcome {
        leavesSoon = true
        return discard()
    }

    /// The connection's time to linger is over.
    func endLingering() -> Outcome { isLeaving ? discard() : .close(nil) }

    /// How long the peer has to close its side, in which the program does not wait any more.
    private static let farewell = Duration.seconds(1)
    /// How often it is looked at whether the peer's system has what was sent, where it cannot be told that no more follows,
    /// and where the program waits.
    private static let farewellInterval = Duration.milliseconds(10)

    private func discard() -> Outcome {
        withUnsafeTemporaryAllocation(byteCount: DirectSocket.bufferSize, alignment: 1) { buffer in
            guard let bytes = buffer.baseAddress else { return .close(nil) }
            var isDrained = false
            for _ in 0..<Self.mostReads {
                guard let count = receive(into: bytes, buffer.count) else { return .close(nil) }
                isDrained = count == 0
                if isDrained { break }
            }
            let left = farewellEnd - .now
            guard left > .zero else { return .close(nil) }
            guard isDrained else { return .goOnSoon }
            guard isEncrypted || leavesSoon else { return .linger(left) }
            return lc_unacknowledged(socket) > 0 ? .linger(min(left, Self.farewellInterval)) : .close(nil)
        }
    }

    /// - Returns: How many bytes have arrived; `nil` at the end of the connection.
    private func receive(into buffer: UnsafeMutableRawPointer, _ size: Int) -> Int? {
        guard direct == nil else {
            let count = lc_receive_directly(socket, buffer, size)
            return count > 0 ? count : count == -LC_NOTHING ? 0 : nil
        }
        var count = 0
        let result = lc_receive(easy.pointer, buffer, size, &count)
        return result == Int32(LC_RESULT_AGAIN) ? 0 : result == 0 && count > 0 ? count : nil
    }
}
