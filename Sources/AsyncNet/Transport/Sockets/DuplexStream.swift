import Foundation

/// A connection without HTTP, from its dial to its close: moves bytes between the socket and the ``PipedConnection``
/// that tasks hold. Used only under its loop's lock.
///
/// The stream receives while there is room for what has arrived, and sends what the socket takes, a bounded number of
/// bytes in each turn.
final class DuplexStream: LoopHandler {
    private unowned let engine: SocketEngine
    private let reference: LoopReference<DuplexStream>
    /// The opening that a task awaits; `nil` once the connection is open or cannot be opened.
    private var opening: DuplexOpening?
    private var dial: Dial?
    private var stream: SocketStream?
    /// What tasks hold of the connection: its release closes the connection.
    private weak var connection: PipedConnection?

    private var isReceiving = true
    /// Whether receiving has stopped because tasks do not take what has arrived.
    private var isPaused = false
    private var outgoing = OutgoingPieces()
    private var isLast = false
    /// Set when sending has failed. What the peer sends is still received, until the peer closes the connection.
    private var sendingFailure: AsyncNetError?
    private var closesWhenSent = false
    private var closeTimer: LoopTimers.ID?
    private var farewell: Farewell?

    init(_ opening: DuplexOpening, _ engine: SocketEngine) {
        self.opening = opening
        reference = opening.stream
        self.engine = engine
        reference.object = self
    }

    private var thread: LoopThread { engine.thread }

    func start() {
        guard let opening else { return }
        let request = opening.request
        let dial = Dial(
            opening.route, isHTTP: request.isHTTP, tls: request.ownTLS,
            offering: request.isHTTP ? ["http/1.1"] : [], engine,
            end: { [weak self] _, result in self?.dialed(result) })
        self.dial = dial
        dial.start()
    }

    private func dialed(_ result: Dial.Outcome) {
        dial = nil
        guard let opening else { return }
        do throws(AsyncNetError) {
            let stream = try result.get().0
            self.stream = stream
            try stream.watch(self)
            let connection = PipedConnection(
                info: Self.info(stream, opening.route.endpoint), canFinishSending: stream.tls?.allowsHalfClose ?? true,
                onWork: { [reference, loop = thread.loop] in loop.post { _ in reference.object?.work() } })
            self.connection = connection
            self.opening = nil
            opening.opened.fulfil(.success(connection))
            // The server may have spoken right after the handshake.
            goOn(receives: stream.hasUnreadInput)
        } catch {
            close(error)
        }
    }

    private static func info(_ stream: SocketStream, _ endpoint: ServerEndpoint) -> ConnectionInfo {
        let (peer, tls) = (stream.peer, endpoint.isTLS ? stream.tls : nil)
        return ConnectionInfo(
            isReused: false, remoteAddress: peer?.text, remotePort: peer?.port,
            certificates: tls?.chain.map(PEM.text) ?? [], tls: tls?.agreement)
    }

    /// Closes a connection that is still being opened, as nobody waits for it any more. An open connection stays: its
    /// holder releases it.
    func cancelOpening() { if opening != nil { close(AsyncNetError(.cancelled)) } }

    /// Called when tasks have something to send, have made room, or do not need the connection any more.
    fileprivate func work() {
        guard farewell == nil, opening == nil else { return }
        guard let connection, !connection.wasAborted else { return close(nil) }
        let taken = connection.takeOutgoing()
        if sendingFailure == nil { outgoing.append(taken.pieces) }
        (isLast, closesWhenSent) = (isLast || taken.isLast, closesWhenSent || taken.closes)
        goOn(receives: isPaused)
    }

    private func goOn(receives: Bool) {
        if case .more = pump(receives: receives) { stream?.requeue() }
    }

    func turn(_ readiness: Readiness, _ thread: LoopThread) -> Turn {
        if readiness.contains(.writable) { stream?.becameWritable() }
        return pump(receives: readiness.contains(.readable) || readiness.isEmpty)
    }

    /// Receives before it sends: a peer that receives no more may have sent the reason.
    private func pump(receives: Bool) -> Turn {
        guard let stream else { return .done }
        do throws(AsyncNetError) {
            let received = receives ? try receive(from: stream) : .done
            let sent = try send(on: stream)
            stream.endTurn()
            stream.updateWatch(isReading: isReceiving && !isPaused)
            return received == .more || sent == .more ? .more : .done
        } catch {
            close(error)
            return .done
        }
    }

    private func receive(from stream: SocketStream) throws(AsyncNetError) -> Turn {
        var (bytes, steps) = (0, 0)
        while isReceiving, let connection {
            guard bytes < Turn.received, steps < Turn.parts else { return .more }
            let room = connection.receivingRoom()
            isPaused = room == 0
            if isPaused { break }
            let buffer = UnsafeMutableRawBufferPointer(rebasing: thread.receiveBuffer.prefix(room))
            switch try fill(buffer, of: connection, from: stream, &steps) {
            case .bytes(let count): bytes += count
            case .wouldBlock: return .done
            case .end(let isClean): try endReceiving(isClean, connection)
            }
        }
        return .done
    }

    /// Receives until the buffer is full or nothing is left: a TLS record has at most 16 KiB, too little to wake the
    /// reader for.
    private func fill(
        _ buffer: UnsafeMutableRawBufferPointer, of connection: PipedConnection, from stream: SocketStream,
        _ steps: inout Int
    ) throws(AsyncNetError) -> SocketStream.Received {
        var filled = 0
        defer { if filled > 0 { connection.didReceive(Data(buffer.prefix(filled))) } }
        while filled < buffer.count, steps < Turn.parts {
            steps += 1
            let received = try stream.receive(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
            guard case .bytes(let count) = received else { return received }
            filled += count
            // The socket gave less than asked for: it is empty, and the poller reports what arrives next.
            if stream.tls == nil, filled < buffer.count { return .wouldBlock }
        }
        return .bytes(filled)
    }

    private func endReceiving(_ isClean: Bool, _ connection: PipedConnection) throws(AsyncNetError) {
        isReceiving = false
        guard isClean else {
            throw AsyncNetError(.connectionLost, "The peer closed the connection without TLS's close_notify")
        }
        if let sendingFailure { throw sendingFailure }
        connection.didEndReceiving()
    }

    private func send(on stream: SocketStream) throws(AsyncNetError) -> Turn {
        do throws(AsyncNetError) {
            var bytes = 0
            while !outgoing.isEmpty, !stream.isBlocked {
                guard bytes < Turn.received else { return .more }
                let sent = try outgoing.sendNext(thread.receiveBuffer) { bytes throws(AsyncNetError) in
                    try stream.send(bytes)
                }
                // TLS must receive before it can send.
                if sent == 0 { break }
                connection?.didSend(sent)
                bytes += sent
            }
            if outgoing.isEmpty, try stream.flush() {
                try finishSending(on: stream)
            } else if closesWhenSent {
                limitClosing()
            }
            return .done
        } catch {
            return try endSending(error, stream)
        }
    }

    private func finishSending(on stream: SocketStream) throws(AsyncNetError) {
        if closesWhenSent { return leave(stream) }
        if isLast { try stream.finishSending() }
    }

    private func endSending(_ error: AsyncNetError, _ stream: SocketStream) throws(AsyncNetError) -> Turn {
        guard !closesWhenSent, sendingFailure == nil else { throw error }
        sendingFailure = error
        outgoing.removeAll()
        stream.dropsOutput = true
        stream.becameWritable()
        connection?.didFailSending(error)
        return try receive(from: stream)
    }

    /// Limits the time in which the peer can take the last bytes.
    private func limitClosing() {
        guard closeTimer == nil else { return }
        closeTimer = thread.schedule(after: engine.configuration.connectTimeout) { [weak self] in self?.close(nil) }
    }

    /// Leaves the socket to a `Farewell`; for the tasks the connection is closed.
    private func leave(_ stream: SocketStream) {
        stream.unwatch()
        thread.cancel(&closeTimer)
        self.stream = nil
        connection?.didClose(nil)
        let farewell = Farewell(stream, end: { [weak self] in self?.close(nil) })
        self.farewell = farewell
        farewell.start()
    }

    func shutDown() {
        guard let farewell else { return close(AsyncNetError(.sessionFinished, "The transport is shut down")) }
        farewell.hurry()
    }

    private func close(_ error: AsyncNetError?) {
        opening.take()?.opened.fulfil(.failure(error ?? AsyncNetError(.cancelled)))
        dial.take()?.cancel()
        thread.cancel(&closeTimer)
        farewell.take()?.stop()
        stream.take()?.unwatch()
        connection?.didClose(error)
        engine.closed(self)
    }
}

extension DuplexRequest {
    fileprivate var ownTLS: TLSConfiguration? {
        if case .tls(let configuration) = security { configuration } else { nil }
    }
}

struct DuplexOpening: Sendable {
    let request: DuplexRequest
    let route: ConnectionRoute
    let stream = LoopReference<DuplexStream>()
    let opened = Promise<PipedConnection>()
}
