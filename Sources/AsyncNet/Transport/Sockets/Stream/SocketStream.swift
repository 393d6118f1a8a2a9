import CAsyncNetSockets
import CAsyncNetTLS
import Foundation

/// The bytes of one connection, with or without TLS. Closed with its last reference. Used only under its loop's lock.
final class SocketStream {
    enum Received {
        case bytes(Int)
        case wouldBlock
        /// The peer has ended its side; with TLS, `isClean` says whether by close_notify.
        case end(isClean: Bool)
    }

    private let socket: Int32
    let thread: LoopThread
    private(set) var tls: TLSSession?
    /// The connection to an HTTPS proxy, through whose TLS the bytes of this connection go.
    private let carrier: SocketStream?
    /// Received ciphertext that is not decrypted yet, in separate memory.
    private var rest: UnsafeMutableRawBufferPointer?
    private var isSocketBlocked = false
    /// Whether the connection is closed by a reset, since what the peer still sends is not needed.
    var isAbortive = false { didSet { carrier?.isAbortive = isAbortive } }
    /// Whether ciphertext that waits is dropped: set once the peer receives no more.
    var dropsOutput = false { didSet { carrier?.dropsOutput = dropsOutput } }
    private var hasFinishedSending = false
    private var watchID: LoopSocketID?
    private var watched: Readiness = []

    init(_ socket: Int32, _ thread: LoopThread) {
        self.socket = socket
        self.thread = thread
        carrier = nil
    }

    init(through proxy: SocketStream) {
        socket = proxy.socket
        thread = proxy.thread
        carrier = proxy
    }

    deinit {
        if let tls, !isAbortive, !dropsOutput {
            if !hasFinishedSending { tls.close() }
            _ = try? flush()
        }
        rest?.deallocate()
        if carrier == nil { an_close(socket, isAbortive ? 1 : 0) }
    }

    func start(_ tls: TLSSession) { self.tls = tls }

    func watch(_ handler: any LoopHandler, for readiness: Readiness = .readable) throws(AsyncNetError) {
        watchID = try thread.watch(socket, handler, for: readiness)
        watched = readiness
    }

    /// Watches the socket for bytes to receive, if `isReading`, and for room to send, if the socket was full.
    func updateWatch(isReading: Bool = true) {
        guard let watchID else { return }
        var wanted: Readiness = isReading ? .readable : []
        if isBlocked { wanted.insert(.writable) }
        guard wanted != watched else { return }
        watched = wanted
        thread.change(watchID, socket, to: wanted)
    }

    var isWatched: Bool { watchID != nil }

    func requeue() { if let watchID { thread.requeue(watchID) } }

    func unwatch() { if let id = watchID.take() { thread.unwatch(id, socket) } }

    /// - Parameter scratch: Where ciphertext is received; must stay unchanged until `endTurn`. By default the thread's
    ///   scratch buffer.
    func receive(
        into buffer: UnsafeMutableRawBufferPointer, _ scratch: UnsafeMutableRawBufferPointer? = nil
    ) throws(AsyncNetError) -> Received {
        guard let tls else { return try receiveFromSocket(into: buffer) }
        var hasTaken = false
        while true {
            switch try tls.read(into: buffer) {
            case .bytes(let count): return .bytes(count)
            case .end: return .end(isClean: true)
            // After records without data, such as tickets, other connections have their turn before the next records.
            case .wantsInput: if hasTaken, carrier?.hasUnreadInput != true { return .wouldBlock }
            }
            // OpenSSL may have something to send after reading, such as the answer to a change of keys. An error of
            // sending is ignored here: the bytes that have arrived may say more.
            _ = try? flush()
            switch try takeInput(scratch ?? thread.scratchBuffer) {
            case .bytes: hasTaken = true
            case .wouldBlock: return .wouldBlock
            case .end: return .end(isClean: false)
            }
        }
    }

    /// Takes ciphertext in portions, which bound the work that the peer can cause in one call of OpenSSL.
    func takeInput(_ scratch: UnsafeMutableRawBufferPointer) throws(AsyncNetError) -> Received {
        rest?.deallocate()
        rest = nil
        let received = try receiveCiphertext(into: scratch)
        if case .bytes(let count) = received { tls?.give(UnsafeRawBufferPointer(rebasing: scratch[..<count])) }
        return received
    }

    private func receiveCiphertext(into scratch: UnsafeMutableRawBufferPointer) throws(AsyncNetError) -> Received {
        guard let carrier else { return try receiveFromSocket(into: scratch) }
        // The thread's buffers are in use: they hold this connection's bytes.
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 32 * 1024, alignment: 16)
        defer {
            carrier.endTurn()
            room.deallocate()
        }
        return try carrier.receive(into: scratch, room)
    }

    /// Keeps ciphertext that the turn has not decrypted: all connections use the same scratch buffer.
    func endTurn() {
        guard let tls, tls.unread > 0, rest == nil else { return }
        rest = tls.moveUnread()
    }

    /// Receives and drops what has arrived, undecrypted.
    func discard() -> Received { (try? receiveFromSocket(into: thread.receiveBuffer)) ?? .end(isClean: false) }

    /// Whether neither the peer's end nor bytes have arrived, which would be no part of a later response (RFC 9112 §9.2).
    /// TLS's tickets are taken.
    var isQuiet: Bool {
        guard case .some(.wouldBlock) = try? receive(into: thread.receiveBuffer) else { return false }
        return !hasUnreadInput
    }

    /// Whether more can be read although the socket may have nothing.
    var hasUnreadInput: Bool {
        guard let tls else { return false }
        return tls.unread > 0 || tls.hasPlaintext || carrier?.hasUnreadInput == true
    }

    /// Frees what a kept connection does not need.
    func freeBuffers() {
        tls?.rest()
        carrier?.freeBuffers()
    }

    private func receiveFromSocket(into buffer: UnsafeMutableRawBufferPointer) throws(AsyncNetError) -> Received {
        guard let base = buffer.baseAddress else { return .wouldBlock }
        let count = an_receive(socket, base, buffer.count)
        if count > 0 { return .bytes(count) }
        if count == 0 { return .end(isClean: true) }
        let error = SystemError.last
        if error.code == .EAGAIN { return .wouldBlock }
        throw SocketErrors.lost(error)
    }

    var isBlocked: Bool { carrier?.isBlocked ?? isSocketBlocked }

    /// Sends as much of both pieces as the socket takes; with TLS, takes both as a whole. Returns how many bytes were
    /// taken.
    func send(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer? = nil) throws(AsyncNetError) -> Int {
        guard let tls else { return try sendToSocket(first, second) }
        guard try flush() else { return 0 }
        var taken = try tls.write(first)
        if let second, taken == first.count { taken += try tls.write(second) }
        try flush()
        return taken
    }

    /// Sends ciphertext that waits; returns whether nothing waits any more.
    @discardableResult
    func flush() throws(AsyncNetError) -> Bool {
        guard let tls else { return true }
        var isDone = try tls.flush { bytes throws(AsyncNetError) in
            if dropsOutput { return bytes.count }
            return if let carrier { try carrier.send(bytes) } else { try sendToSocket(bytes, nil) }
        }
        if isDone, !dropsOutput, let carrier { isDone = try carrier.flush() }
        if isDone { isSocketBlocked = false }
        return isDone
    }

    /// Tells the peer that nothing follows; with TLS by a close_notify, which leaves the TCP connection open.
    func finishSending() throws(AsyncNetError) {
        guard !hasFinishedSending else { return }
        hasFinishedSending = true
        guard let tls else { return shutDownSending() }
        tls.close()
        try flush()
    }

    func shutDownSending() { _ = an_finish_sending(socket) }

    /// How many of the sent bytes the peer's system does not have yet.
    var unacknowledged: Int { Int(an_unacknowledged(socket)) + (tls?.waiting ?? 0) }

    /// - Returns: The system's error; `EINPROGRESS` for a connection that is being made.
    func connect(to address: SocketAddress) -> Int32 { withUnsafePointer(to: address.raw) { an_connect(socket, $0) } }

    /// The system's error of a connection that was being made; 0 if the connection is open.
    var connectOutcome: Int32 { an_connect_outcome(socket) }

    func becameWritable() {
        isSocketBlocked = false
        carrier?.becameWritable()
    }

    private func sendToSocket(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer?
    ) throws(AsyncNetError) -> Int {
        let size = first.count + (second?.count ?? 0)
        let count = an_send(socket, first.baseAddress, first.count, second?.baseAddress, second?.count ?? 0)
        guard count < 0 else {
            isSocketBlocked = count < size
            return count
        }
        let error = SystemError.last
        guard error.code == .EAGAIN else { throw SocketErrors.lost(error) }
        isSocketBlocked = true
        return 0
    }

    var peer: SocketAddress? {
        var address = an_address()
        return an_peer(socket, &address) == 0 ? SocketAddress(raw: address) : nil
    }
}

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
    init(_ number: Int32) { self.init(POSIXErrorCode(rawValue: number) ?? .EIO) }
}
