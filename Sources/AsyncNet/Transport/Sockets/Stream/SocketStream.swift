import CAsyncNetSockets
import CAsyncNetTLS
import Foundation

/// The bytes of one connection, with or without TLS. Closed with its last reference. Used under its loop's lock only.
final class SocketStream {
    enum Received {
        case bytes(Int)
        case wouldBlock
        /// The peer has ended its side; with TLS, `isClean` says whether by close_notify.
        case end(isClean: Bool)
    }

    let socket: Int32
    private(set) var tls: TLSSession?
    /// The TLS to an HTTPS proxy, if `tls` goes through it.
    private var layer: ProxyLayer?
    /// Ciphertext that a turn left, in memory of its own.
    private var rest: UnsafeMutableRawBufferPointer?
    /// Whether the socket takes no more bytes now.
    private(set) var isBlocked = false
    /// Whether the connection is closed by a reset, since what the peer still sends is not wanted.
    var isAbortive = false
    /// Whether ciphertext that waits is dropped, since the peer receives no more.
    var dropsOutput = false
    private var hasFinishedSending = false

    init(_ socket: Int32) { self.socket = socket }

    deinit {
        if let tls, !isAbortive, !dropsOutput {
            if !hasFinishedSending { tls.close() }
            _ = try? flush()
            layer?.tls.close()
            _ = try? flush()
        }
        rest?.deallocate()
        an_close(socket, isAbortive ? 1 : 0)
    }

    /// Begins TLS: of what goes through the TLS that there may be, to an HTTPS proxy.
    func start(_ tls: TLSSession) {
        if let proxy = self.tls {
            layer = ProxyLayer(proxy)
            freeRest()
        }
        self.tls = tls
    }

    // MARK: Receiving

    /// - Parameter scratch: Room for ciphertext, which must stay unchanged until `endTurn`.
    func receive(
        into buffer: UnsafeMutableRawBufferPointer, _ scratch: UnsafeMutableRawBufferPointer
    ) throws(AsyncNetError) -> Received {
        guard let tls else { return try receive(from: socket, into: buffer) }
        var hasTaken = false
        while true {
            switch try tls.read(into: buffer) {
            case .bytes(let count): return .bytes(count)
            case .end: return .end(isClean: true)
            // After records without data, such as tickets, others are served before the next ones.
            case .wantsInput: if hasTaken, !proxyHasInput { return .wouldBlock }
            }
            // Reading may have made something to send, such as an answer to a change of keys.
            try flush()
            switch try takeInput(scratch) {
            case .bytes: hasTaken = true
            case .wouldBlock: return .wouldBlock
            case .end: return .end(isClean: false)
            }
        }
    }

    /// Takes ciphertext in portions: what the peer can make OpenSSL do in one call is bounded by them.
    func takeInput(_ scratch: UnsafeMutableRawBufferPointer) throws(AsyncNetError) -> Received {
        freeRest()
        let received = try receiveCiphertext(into: scratch)
        if case .bytes(let count) = received { tls?.give(UnsafeRawBufferPointer(rebasing: scratch[..<count])) }
        return received
    }

    private func receiveCiphertext(
        into scratch: UnsafeMutableRawBufferPointer
    ) throws(AsyncNetError) -> Received {
        guard let layer else { return try receive(from: socket, into: scratch) }
        return try layer.receive(
            into: scratch, flush: { () throws(AsyncNetError) in _ = try flush() },
            from: { room throws(AsyncNetError) in try receive(from: socket, into: room) })
    }

    /// Keeps ciphertext that the turn has not decrypted: the scratch buffer is that of all connections.
    func endTurn() {
        guard let tls, tls.unread > 0, rest == nil else { return }
        rest = tls.moveUnread()
    }

    /// Receives and drops what has arrived, undecrypted.
    func discard(_ buffer: UnsafeMutableRawBufferPointer) -> Received {
        (try? receive(from: socket, into: buffer)) ?? .end(isClean: false)
    }

    /// Whether more can be read, though the socket may have nothing.
    var hasUnreadInput: Bool {
        guard let tls else { return false }
        return tls.unread > 0 || tls.hasPlaintext || proxyHasInput
    }

    private var proxyHasInput: Bool { layer.map { $0.tls.unread > 0 || $0.tls.hasPlaintext } ?? false }

    /// Frees what a kept connection does not need.
    func freeBuffers() {
        tls?.rest()
        layer?.tls.rest()
    }

    private func freeRest() {
        rest?.deallocate()
        rest = nil
    }

    private func receive(
        from socket: Int32, into buffer: UnsafeMutableRawBufferPointer
    ) throws(AsyncNetError) -> Received {
        guard let base = buffer.baseAddress else { return .wouldBlock }
        let count = an_receive(socket, base, buffer.count)
        if count > 0 { return .bytes(count) }
        if count == 0 { return .end(isClean: true) }
        let error = SystemError.last
        if error.code == .EAGAIN { return .wouldBlock }
        throw SocketErrors.lost(error)
    }

    // MARK: Sending

    /// Sends as much as the socket takes of both pieces; with TLS, takes both as a whole.
    ///
    /// - Returns: How many bytes were taken.
    func send(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer? = nil) throws(AsyncNetError) -> Int {
        guard let tls else { return try send(to: socket, first, second) }
        guard try flush() else { return 0 }
        var taken = try tls.write(first)
        if let second, taken == first.count { taken += try tls.write(second) }
        try flush()
        return taken
    }

    /// Sends ciphertext that waits.
    ///
    /// - Returns: Whether nothing waits any more.
    @discardableResult
    func flush() throws(AsyncNetError) -> Bool {
        guard let tls else { return true }
        var isDone = try tls.flush { bytes throws(AsyncNetError) in
            dropsOutput ? bytes.count : try sendCiphertext(bytes)
        }
        if isDone, !dropsOutput, let layer { isDone = try flush(layer) }
        if isDone { isBlocked = false }
        return isDone
    }

    /// Tells the peer that nothing follows; with TLS by its close_notify, which leaves the TCP connection as it is.
    func finishSending() throws(AsyncNetError) {
        guard !hasFinishedSending else { return }
        hasFinishedSending = true
        guard let tls else { return _ = an_finish_sending(socket) }
        tls.close()
        try flush()
    }

    private func sendCiphertext(_ bytes: UnsafeRawBufferPointer) throws(AsyncNetError) -> Int {
        guard let layer else { return try send(to: socket, bytes, nil) }
        return try flush(layer) ? try layer.tls.write(bytes) : 0
    }

    private func flush(_ layer: ProxyLayer) throws(AsyncNetError) -> Bool {
        try layer.tls.flush { bytes throws(AsyncNetError) in try send(to: socket, bytes, nil) }
    }

    /// The socket takes bytes again.
    func becameWritable() { isBlocked = false }

    private func send(
        to socket: Int32, _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer?
    ) throws(AsyncNetError) -> Int {
        let size = first.count + (second?.count ?? 0)
        let count = an_send(socket, first.baseAddress, first.count, second?.baseAddress, second?.count ?? 0)
        guard count < 0 else {
            isBlocked = count < size
            return count
        }
        let error = SystemError.last
        guard error.code == .EAGAIN else { throw SocketErrors.lost(error) }
        isBlocked = true
        return 0
    }

    var peer: SocketAddress? {
        var address = an_address()
        return an_peer(socket, &address) == 0 ? SocketAddress(raw: address) : nil
    }
}

/// What errors of the system mean for a connection.
enum SocketErrors {
    static func lost(_ error: POSIXError) -> AsyncNetError {
        AsyncNetError(
            .connectionLost, "\(AsyncNetError.Code.connectionLost.summary) (\(SystemError.text(error)))",
            underlyingError: error)
    }

    /// - Parameter unixSocket: The path that was connected to; `nil` for a host and port.
    static func connecting(_ error: POSIXError, _ unixSocket: String?) -> AsyncNetError {
        let failure = ConnectFailure(error.code.rawValue, isUnixSocket: unixSocket != nil)
        let reason = failure?.reason.map { ": \($0)" } ?? ""
        let what = unixSocket.map { "The unix socket \($0) could not be connected to" }
        let text = what ?? AsyncNetError.Code.cannotConnect.summary
        let made = AsyncNetError(
            .cannotConnect, "\(text)\(reason) (\(SystemError.text(error)))", underlyingError: error)
        return failure.map { made.with(advice: $0.advice) } ?? made
    }
}

extension POSIXError {
    /// An error number of the system.
    init(_ number: Int32) { self.init(POSIXErrorCode(rawValue: number) ?? .EIO) }
}
