/// A TLS handshake, given to OpenSSL in small portions: each portion may make OpenSSL compute a signature.
final class Handshake: LoopHandler {
    private let stream: SocketStream
    private let session: TLSSession
    private let end: (Result<Void, AsyncNetError>) -> Void
    private var received = 0
    private static let portion = 4096
    /// Once a handshake is longer than usual, less is read at a time: each record of a flood costs OpenSSL time.
    private static let usualSize = 16 * 1024
    private static let smallPortion = 512
    private static let largestSize = 256 * 1024

    init(
        _ stream: SocketStream, _ session: TLSSession, end: @escaping (Result<Void, AsyncNetError>) -> Void
    ) throws(AsyncNetError) {
        self.stream = stream
        self.session = session
        self.end = end
        try stream.watch(self)
    }

    func begin() { _ = step() }

    func turn(_ readiness: Readiness, _ thread: LoopThread) -> Turn {
        if readiness.contains(.writable) { stream.becameWritable() }
        return step()
    }

    private func step() -> Turn {
        do throws(AsyncNetError) {
            if try !goOn() {
                stream.updateWatch()
                guard try receive() else { return .done }
                let isDone = try goOn()
                stream.endTurn()
                guard isDone else { return .more }
            }
            end(.success(()))
        } catch {
            // Sends the alert that tells the server the reason.
            _ = try? stream.flush()
            end(.failure(error))
        }
        return .done
    }

    private func goOn() throws(AsyncNetError) -> Bool {
        let isDone = try session.handshake()
        if isDone { try session.checkServer() }
        try stream.flush()
        return isDone
    }

    private func receive() throws(AsyncNetError) -> Bool {
        let portion = received < Self.usualSize ? Self.portion : Self.smallPortion
        switch try stream.takeInput(UnsafeMutableRawBufferPointer(rebasing: stream.thread.scratchBuffer[..<portion])) {
        case .wouldBlock: return false
        case .end:
            throw AsyncNetError(.tlsHandshakeFailed, "The server closed the connection during the TLS handshake")
        case .bytes(let count):
            received += count
            guard received <= Self.largestSize else {
                throw AsyncNetError(
                    .tlsHandshakeFailed, "The server sent more than \(Self.largestSize) bytes in the TLS handshake")
            }
            return true
        }
    }
}
