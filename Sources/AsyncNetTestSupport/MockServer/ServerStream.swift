import Foundation

/// The bytes of one connection, over TLS or a bare socket, as slowly as a link lets them pass. Used only by the
/// connection's thread.
struct ServerStream {
    private let socket: Socket
    private let tls: TLSSession?
    private let link: ShapedLink?

    init(_ socket: Socket, _ tls: TLSSession?, _ link: ShapedLink? = nil) {
        (self.socket, self.tls, self.link) = (socket, tls, link)
    }

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

    /// Reads up to `count` bytes; empty at the end of the stream.
    func read(_ count: Int) throws -> Data {
        guard let tls else { return try receive(count) }
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
        guard let tls else { return try send(data) }
        var rest = data[...]
        while !rest.isEmpty {
            try tls.write(Data(rest.prefix(64 * 1024)))
            try flush(tls)
            rest = rest.dropFirst(64 * 1024)
        }
    }

    /// Reads up to `count` bytes; empty at the end of the stream, `nil` if there are none yet when the wakeup is set,
    /// the time has passed or TLS needs more. A count of 0 only waits for the wakeup.
    func read(_ count: Int, orUntil wakeup: Wakeup, within limit: Duration? = nil) throws -> Data? {
        guard count > 0 else {
            try socket.wait(for: wakeup)
            return nil
        }
        guard let tls else { return try socket.waitForInput(orUntil: wakeup, within: limit) ? try receive(count) : nil }
        switch try tls.read(count) {
        case .bytes(let bytes): return bytes
        case .closed: return Data()
        case .needsBytes:
            try flush(tls)
            guard try socket.waitForInput(orUntil: wakeup, within: limit) else { return nil }
            return try fill(tls) ? nil : Data()
        }
    }

    func wait(for wakeup: Wakeup) throws { try socket.wait(for: wakeup) }

    func pause(_ duration: Duration?) throws { try socket.pause(duration) }

    func pause(until wakeup: Wakeup) throws { try socket.pause(until: wakeup) }

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

    /// Writes each piece when it has passed over the link.
    private func send(_ data: Data) throws {
        guard let link else { return try socket.write(data) }
        var rest = data[...]
        while !rest.isEmpty {
            let piece = rest.prefix(link.quantum(.download))
            try socket.sleep(link.pass(piece.count, .download))
            try socket.write(piece)
            rest = rest.dropFirst(piece.count)
        }
    }

    /// Reads up to `count` bytes, and returns when they have passed over the link.
    private func receive(_ count: Int) throws -> Data {
        guard let link else { return try socket.read(count) }
        let bytes = try socket.read(min(count, link.quantum(.upload)))
        try socket.sleep(link.pass(bytes.count, .upload))
        return bytes
    }

    private func flush(_ tls: TLSSession) throws {
        let bytes = tls.take()
        if !bytes.isEmpty { try send(bytes) }
    }

    /// - Returns: `false` if the client has closed the connection.
    private func fill(_ tls: TLSSession) throws -> Bool {
        let bytes = try receive(64 * 1024)
        try tls.receive(bytes)
        return !bytes.isEmpty
    }
}
