/// A TLS handshake, given to OpenSSL in small portions: each may make it compute a signature.
final class Handshake: LoopHandler {
    private let stream: SocketStream
    private let session: TLSSession
    private let end: (Result<Void, AsyncNetError>) -> Void
    private var id: LoopSocketID?
    private var received = 0
    private static let portion = 4096
    /// After more bytes than usual handshakes have, portions are small: each record of a flood costs OpenSSL time.
    private static let usualSize = 16 * 1024
    private static let smallPortion = 512
    private static let largestSize = 256 * 1024

    /// - Parameter end: Called once, when the handshake is over.
    init(
        _ stream: SocketStream, _ session: TLSSession, _ thread: LoopThread,
        end: @escaping (Result<Void, AsyncNetError>) -> Void
    ) throws(AsyncNetError) {
        (self.stream, self.session, self.end) = (stream, session, end)
        id = try thread.watch(stream.socket, self, for: .readable)
    }

    func begin(_ thread: LoopThread) { _ = step(thread) }

    func turn(_ readiness: Readiness, _ thread: LoopThread) -> Turn {
        if readiness.contains(.writable) { stream.becameWritable() }
        return step(thread)
    }

    private func step(_ thread: LoopThread) -> Turn {
        do throws(AsyncNetError) {
            if try session.handshake() == .done {
                try session.checkServer()
                try stream.flush()
                end(.success(()))
                return .done
            }
            try stream.flush()
            if let id { thread.change(id, stream.socket, to: stream.isBlocked ? [.readable, .writable] : .readable) }
            return try receive(thread)
        } catch {
            // The alert that says why.
            _ = try? stream.flush()
            end(.failure(error))
            return .done
        }
    }

    private func receive(_ thread: LoopThread) throws(AsyncNetError) -> Turn {
        let portion = received < Self.usualSize ? Self.portion : Self.smallPortion
        let room = UnsafeMutableRawBufferPointer(rebasing: thread.scratchBuffer[..<portion])
        switch try stream.takeInput(room) {
        case .wouldBlock: return .done
        case .end:
            throw AsyncNetError(.tlsHandshakeFailed, "The server closed the connection during the TLS handshake")
        case .bytes(let count):
            received += count
            guard received <= Self.largestSize else {
                throw AsyncNetError(
                    .tlsHandshakeFailed, "The server sent more than \(Self.largestSize) bytes in the TLS handshake")
            }
            let progress = try session.handshake()
            try stream.flush()
            stream.endTurn()
            guard progress == .done else { return .more }
            try session.checkServer()
            end(.success(()))
            return .done
        }
    }

    func stop(_ thread: LoopThread) {
        if let id = id.take() { thread.unwatch(id, stream.socket) }
    }
}
