import AsyncNet
import Foundation

/// Carries bytes between a server's socket and a script that uses the connection. Blocks the connection's thread.
struct ConnectionCarrier {
    let stream: ServerStream
    let connection: PipedConnection
    let wakeup: Wakeup

    /// Returns when the script has closed the connection and all bytes are written.
    ///
    /// - Throws: An error of the socket, and `Socket.Stopped`; the connection is closed then.
    func run() throws {
        do {
            while try carry() {}
            connection.didClose(nil)
        } catch {
            connection.didClose(AsyncNetError(.connectionLost))
            throw error
        }
    }

    /// - Returns: Whether more may follow.
    private func carry() throws -> Bool {
        wakeup.clear()
        if connection.wasAborted { return false }
        let outgoing = connection.takeOutgoing()
        for piece in outgoing.pieces {
            try stream.write(piece)
            connection.didSend(piece.count)
        }
        if outgoing.closes { return false }
        if outgoing.isLast { stream.finishWriting() }
        try receive()
        return true
    }

    private func receive() throws {
        let room = min(connection.receivingRoom(), 64 * 1024)
        guard let bytes = try stream.read(room, orUntil: wakeup) else { return }
        guard bytes.isEmpty else { return connection.didReceive(bytes) }
        // The client has ended its side. The script may go on sending, until writing fails.
        connection.didEndReceiving()
        try stream.wait(for: wakeup)
    }
}
