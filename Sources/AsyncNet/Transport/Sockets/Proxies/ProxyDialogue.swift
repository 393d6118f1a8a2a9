/// Speaks with a proxy on a connection, by a ``ProxyNegotiation``. Used only under its loop's lock.
final class ProxyDialogue: LoopHandler {
    enum End {
        case done
        /// The negotiation continues over another connection to the proxy.
        case again(any ProxyNegotiation)
        case failure(AsyncNetError)
    }

    private let stream: SocketStream
    private var negotiation: any ProxyNegotiation
    private let onSend: (([UInt8]) -> Void)?
    private let end: (End) -> Void
    private var unsent: ArraySlice<UInt8> = []
    private static let bytesPerTurn = 4096

    init(
        _ stream: SocketStream, _ negotiation: any ProxyNegotiation, onSend: (([UInt8]) -> Void)?,
        end: @escaping (End) -> Void
    ) throws(AsyncNetError) {
        self.stream = stream
        self.negotiation = negotiation
        self.onSend = onSend
        self.end = end
        try stream.watch(self)
    }

    func begin() {
        _ = run { () throws(AsyncNetError) in
            send(try negotiation.begin())
            return try speak()
        }
    }

    func turn(_ readiness: Readiness, _ thread: LoopThread) -> Turn {
        if readiness.contains(.writable) { stream.becameWritable() }
        return run(speak)
    }

    private func run(_ step: () throws(AsyncNetError) -> Turn) -> Turn {
        do throws(AsyncNetError) {
            return try step()
        } catch {
            end(.failure(Self.ofProxy(error)))
            return .done
        }
    }

    private static func ofProxy(_ error: AsyncNetError) -> AsyncNetError {
        guard error.code == .connectionLost else { return error }
        return AsyncNetError(
            .proxyFailed, "The connection to the proxy was lost before the proxy had answered",
            underlyingError: error.underlyingError)
    }

    private func speak() throws(AsyncNetError) -> Turn {
        var received = 0
        while received < Self.bytesPerTurn {
            try flush()
            guard let (step, count) = try receive() else {
                stream.updateWatch()
                return .done
            }
            received += count
            switch step {
            case .wait: break
            case .send(let bytes): send(bytes)
            case .done: return finish(.done)
            case .reconnect: return finish(.again(negotiation))
            }
        }
        stream.endTurn()
        return .more
    }

    private func receive() throws(AsyncNetError) -> (ProxyStep, Int)? {
        let room = UnsafeMutableRawBufferPointer(rebasing: stream.thread.receiveBuffer[..<negotiation.wanted])
        switch try stream.receive(into: room) {
        case .wouldBlock: return nil
        case .end: return (try negotiation.receiveEnd(), 0)
        case .bytes(let count):
            return (try negotiation.receive(UnsafeRawBufferPointer(rebasing: room[..<count])), count)
        }
    }

    private func finish(_ end: End) -> Turn {
        stream.endTurn()
        self.end(end)
        return .done
    }

    private func send(_ bytes: [UInt8]) {
        unsent += bytes
        onSend?(bytes)
    }

    private func flush() throws(AsyncNetError) {
        if !unsent.isEmpty {
            let sent = try unsent.withBytes { bytes throws(AsyncNetError) in try stream.send(bytes) }
            unsent = unsent.dropFirst(sent)
        }
        try stream.flush()
    }
}
