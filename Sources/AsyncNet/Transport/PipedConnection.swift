package import Foundation

/// A duplex connection whose bytes its owner carries: a loop's or a mock server's thread, or the other end in memory.
package final class PipedConnection: DuplexConnection {
    package struct Outgoing: Sendable {
        package var pieces: [Data] = []
        /// Whether the owner tells the peer, after the pieces, that no more bytes follow.
        package var isLast = false
        /// Whether the owner closes the connection once it has sent the pieces.
        package var closes = false
    }

    package let info: ConnectionInfo
    private let state = AwaitedState(DuplexPipeState())
    private let canFinishSending: Bool
    private let onWork: @Sendable () -> Void

    /// - Parameters:
    ///   - canFinishSending: Whether the peer can still send once this side has ended sending (not before TLS 1.3).
    ///   - onWork: Called when the owner may send or receive more, and after the connection was aborted or released.
    package init(
        info: ConnectionInfo = ConnectionInfo(), canFinishSending: Bool = true, onWork: @escaping @Sendable () -> Void
    ) {
        self.info = info
        self.canFinishSending = canFinishSending
        self.onWork = onWork
    }

    deinit { onWork() }

    package func receive() async throws -> Data? {
        while true {
            guard !Task.isCancelled else { throw AsyncNetError(.cancelled) }
            switch state.change({ $0.read() }) {
            case .bytes(let data, let makesRoom):
                if makesRoom { onWork() }
                return data
            case .end: return nil
            case .failure(let error): throw error
            case .wait: await state.wait { $0.isReadable }
            }
        }
    }

    package func send(_ data: Data) throws {
        if try state.change({ state throws(AsyncNetError) in try state.send(data) }) { onWork() }
    }

    package func sendingRoom() async throws {
        while !state.read({ $0.hasSendingRoom }) {
            guard !Task.isCancelled else { throw AsyncNetError(.cancelled) }
            await state.wait { $0.hasSendingRoom }
        }
        if let error = state.read({ $0.sendingFailure }) { throw error }
    }

    package func finishSending() throws {
        guard canFinishSending else {
            throw AsyncNetError(
                .unsupportedByTransport,
                "A connection with TLS 1.2 or older cannot end one direction alone (RFC 5246 §7.2.1): use close()")
        }
        if try state.change({ state throws(AsyncNetError) in try state.finishSending() }) { onWork() }
    }

    package func close() async {
        if let isNews = state.change({ $0.close() }) {
            if isNews { onWork() }
            await state.wait { $0.closure != nil }
        }
        if Task.isCancelled { abort(nil) }
    }

    package func abort(_ error: AsyncNetError?) {
        state.change {
            $0.abort(
                error
                    ?? AsyncNetError(
                        .connectionLost,
                        "This program has cut the connection off: it was released, or closing it was cancelled or took too long"
                    ))
        }
        onWork()
    }

    package var wasAborted: Bool { state.read { $0.isAborted } }

    /// How many bytes can be received now. With 0, a read that makes room calls `onWork`.
    package func receivingRoom() -> Int { state.change { $0.receivingRoom() } }
    package func didReceive(_ data: Data) { state.change { $0.receive(data) } }
    package func didEndReceiving() { state.change { $0.endReceiving(.success(())) } }
    package func takeOutgoing() -> Outgoing { state.change { $0.takeOutgoing() } }
    package func didSend(_ count: Int) { state.change { $0.didSend(count) } }

    func didFailSending(_ error: AsyncNetError) { state.change { $0.failSending(error) } }

    /// Ends all waits with this error; a reader first takes what has arrived. `nil` stands for a close by this side,
    /// which is no error for a reader.
    package func didClose(_ error: AsyncNetError?) { state.change { $0.didClose(error) } }
}
