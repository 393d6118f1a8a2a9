/// The TLS to an HTTPS proxy, through which the TLS to a server goes. Used under its loop's lock only.
final class ProxyLayer {
    let tls: TLSSession
    /// Ciphertext that has not been decrypted, in memory of its own.
    private var input: UnsafeMutableRawBufferPointer?
    private static let portion = 32 * 1024

    init(_ tls: TLSSession) {
        self.tls = tls
        if tls.unread > 0 { input = tls.moveUnread() }
    }

    deinit { input?.deallocate() }

    /// Decrypts what has arrived.
    ///
    /// - Parameters:
    ///   - flush: Sends what decrypting has made, such as an answer to a change of keys.
    ///   - source: Receives from the socket.
    func receive(
        into buffer: UnsafeMutableRawBufferPointer, flush: () throws(AsyncNetError) -> Void,
        from source: (UnsafeMutableRawBufferPointer) throws(AsyncNetError) -> SocketStream.Received
    ) throws(AsyncNetError) -> SocketStream.Received {
        while true {
            switch try tls.read(into: buffer) {
            case .bytes(let count): return .bytes(count)
            case .end: return .end(isClean: true)
            case .wantsInput: break
            }
            try flush()
            let room = room()
            let received = try source(room)
            guard case .bytes(let count) = received else {
                free()
                return received
            }
            tls.give(UnsafeRawBufferPointer(rebasing: room[..<count]))
        }
    }

    /// All ciphertext has been decrypted.
    private func room() -> UnsafeMutableRawBufferPointer {
        if let input, input.count >= Self.portion { return input }
        free()
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.portion, alignment: 16)
        input = room
        return room
    }

    private func free() {
        input?.deallocate()
        input = nil
    }
}
