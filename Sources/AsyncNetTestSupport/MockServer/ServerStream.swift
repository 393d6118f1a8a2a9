import Foundation

/// The bytes of one connection: a socket's, or what TLS makes of them. For the connection's thread.
struct ServerStream {
    private let socket: Socket
    private let tls: TLSSession?

    init(_ socket: Socket, _ tls: TLSSession?) { (self.socket, self.tls) = (socket, tls) }

    /// Completes the TLS handshake, if there is one.
    func begin() throws {
        guard let tls else { return }
        while true {
            do {
                let isDone = try tls.handshake()
                try flush(tls)
                if isDone { return }
            } catch {
                try flush(tls) // the alert that says why
                throw error
            }
            guard try fill(tls) else { throw TLSSession.Failure() }
        }
    }

    /// Up to `count` bytes; empty at the end of the stream.
    func read(_ count: Int) throws -> Data {
        guard let tls else { return try socket.read(count) }
        while true {
            switch try tls.read(count) {
            case .bytes(let bytes): return bytes
            case .closed: return Data()
            case .needsBytes:
                try flush(tls)
                guard try fill(tls) else { return Data() }
            }
        }
    }

    func write(_ data: Data) throws {
        guard let tls else { return try socket.write(data) }
        var rest = data[...]
        while !rest.isEmpty {
            try tls.write(Data(rest.prefix(64 * 1024)))
            try flush(tls)
            rest = rest.dropFirst(64 * 1024)
        }
    }

    func pause(_ duration: Duration?) throws { try socket.pause(duration) }

    /// Ends writing; the peer's bytes can still be read.
    func finishWriting() {
        if let tls {
            tls.finishWriting()
            try? flush(tls)
        }
        socket.finishWriting()
    }

    func close() { socket.close() }
    func reset() { socket.reset() }

    private func flush(_ tls: TLSSession) throws {
        let bytes = tls.take()
        if !bytes.isEmpty { try socket.write(bytes) }
    }

    /// - Returns: `false` if the client has closed the connection.
    private func fill(_ tls: TLSSession) throws -> Bool {
        let bytes = try socket.read(64 * 1024)
        try tls.receive(bytes)
        return !bytes.isEmpty
    }
}
