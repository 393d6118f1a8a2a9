package import Foundation

/// A duplex connection whose bytes its owner carries: a loop's or a mock server's thread, or the other end in memory.
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
    private let canFinishSending: Bool
    private let onWork: @Sendable () -> Void
    private let isAborted = Locked(false)

    /// - Parameters:
    ///   - canFinishSending: Whether the peer can still send once this side has ended its own; before TLS 1.3 it must not
    ///     (RFC 5246 §7.2.1).
    ///   - onWork: Called when the owner has something to do: there are bytes to send, there is room for received bytes
    ///     again, or the connection was aborted or released.
    package init(
        info: ConnectionInfo = ConnectionInfo(), canFinishSending: Bool = true, onWork: @escaping @Sendable () -> Void
    ) {
        (self.info, self.canFinishSending, self.onWork) = (info, canFinishSending, onWork)
        pipe = DuplexPipe(onRoom: onWork, onOutgoing: onWork)
    }

    deinit { onWork() }

    package func receive() async throws -> Data? { try await pipe.receive() }
    package func send(_ data: Data) throws { try pipe.send(data) }
    package func sendingRoom() async throws { try await pipe.sendingRoom() }

    package func finishSending() throws {
        guard canFinishSending else {
            throw AsyncNetError(
                .unsupportedByTransport,
                "A connection with TLS 1.2 or older cannot end one direction alone (RFC 5246 §7.2.1): use close()")
        }
        try pipe.finishSending()
    }

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

    /// The peer receives no more; what it sends still arrives.
    func didFailSending(_ error: AsyncNetError) { pipe.failSending(error) }

    /// The connection is closed; with `nil` because this side has closed it.
    package func didClose(_ error: AsyncNetError?) { pipe.didClose(error) }
}
