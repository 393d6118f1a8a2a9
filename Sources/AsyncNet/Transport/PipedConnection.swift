package import Foundation

/// A duplex connection whose bytes its owner carries: a mock server's thread, or the other end in memory.
package final class PipedConnection: DuplexConnection {
    /// What the owner is to send.
    package struct Outgoing: Sendable {
        package let pieces: [Data]
        /// Whether the peer is told, after the pieces, that no more follows.
        package let isLast: Bool
        /// Whether the connection is closed, after the pieces.
        package let closes: Bool
    }

    package let info: ConnectionInfo
    private let pipe: DuplexPipe
    private let onWork: @Sendable () -> Void
    private let isAborted = Locked(false)

    /// - Parameter onWork: Called when the owner has something to do: there are bytes to send, there is room for received
    ///   bytes again, or the connection was aborted.
    package init(info: ConnectionInfo = ConnectionInfo(), onWork: @escaping @Sendable () -> Void) {
        (self.info, self.onWork) = (info, onWork)
        pipe = DuplexPipe(onRoom: onWork, onOutgoing: onWork)
    }

    deinit { onWork() }

    package func receive() async throws -> Data? { try await pipe.receive() }
    package func send(_ data: Data) throws { try pipe.send(data) }
    package func sendingRoom() async throws { try await pipe.sendingRoom() }
    package func finishSending() throws { try pipe.finishSending() }

    package func close() async {
        await pipe.close()
        if Task.isCancelled { abort(nil) }
    }

    package func abort(_ error: AsyncNetError?) {
        isAborted.withLock { $0 = true }
        pipe.didClose(error ?? AsyncNetError(.connectionLost, "The connection was aborted"))
        onWork()
    }

    // MARK: For the owner

    package var wasAborted: Bool { isAborted.withLock { $0 } }

    /// How many bytes can be received now; with none, `onWork` follows a read that makes room.
    package func receivingRoom() -> Int { pipe.receivingRoom() }
    package func didReceive(_ data: Data) { pipe.receive(data) }
    package func didEndReceiving() { pipe.endReceiving(.success(())) }

    package func takeOutgoing() -> Outgoing {
        let outgoing = pipe.takeOutgoing()
        return Outgoing(pieces: outgoing.data, isLast: outgoing.isLast, closes: outgoing.closes)
    }

    package func didSend(_ count: Int) { pipe.didSend(count) }

    /// The connection is closed; with `nil` because this side has closed it.
    package func didClose(_ error: AsyncNetError?) { pipe.didClose(error) }
}
