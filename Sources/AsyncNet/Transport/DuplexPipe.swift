import Foundation

/// The bytes between the tasks that use a duplex connection and the thread that carries it, see `DuplexPipeState`.
final class DuplexPipe: Sendable {
    private let state = AwaitedState(DuplexPipeState())
    private let onRoom: @Sendable () -> Void
    private let onOutgoing: @Sendable () -> Void

    /// - Parameters:
    ///   - onRoom: Called when the thread stopped receiving and may go on.
    ///   - onOutgoing: Called when there is something to send, or to close.
    init(onRoom: @escaping @Sendable () -> Void, onOutgoing: @escaping @Sendable () -> Void) {
        (self.onRoom, self.onOutgoing) = (onRoom, onOutgoing)
    }

    // MARK: From tasks

    func receive() async throws(AsyncNetError) -> Data? {
        while true {
            guard !Task.isCancelled else { throw AsyncNetError(.cancelled) }
            switch state.change({ $0.read() }) {
            case .bytes(let data, let makesRoom):
                if makesRoom { onRoom() }
                return data
            case .end: return nil
            case .failure(let error): throw error
            case .wait: await state.wait { $0.isReadable }
            }
        }
    }

    func send(_ data: Data) throws(AsyncNetError) {
        let isNews = try state.change { state throws(AsyncNetError) in try state.send(data) }
        if isNews { onOutgoing() }
    }

    func sendingRoom() async throws(AsyncNetError) {
        while !state.read({ $0.hasSendingRoom }) {
            guard !Task.isCancelled else { throw AsyncNetError(.cancelled) }
            await state.wait { $0.hasSendingRoom }
        }
        if let error = state.read({ $0.sendingFailure }) { throw error }
    }

    func finishSending() throws(AsyncNetError) {
        let isNews = try state.change { state throws(AsyncNetError) in try state.finishSending() }
        if isNews { onOutgoing() }
    }

    /// Returns when the connection is closed, or the task is cancelled.
    func close() async {
        guard let isNews = state.change({ $0.close() }) else { return }
        if isNews { onOutgoing() }
        await state.wait { $0.closure != nil }
    }

    // MARK: From the thread

    func receivingRoom() -> Int { state.change { $0.receivingRoom() } }
    func receive(_ data: Data) { state.change { $0.receive(data) } }
    func endReceiving(_ result: Result<Void, AsyncNetError>) { state.change { $0.endReceiving(result) } }
    func failSending(_ error: AsyncNetError) { state.change { $0.failSending(error) } }
    func takeOutgoing() -> DuplexPipeState.Outgoing { state.change { $0.takeOutgoing() } }
    func didSend(_ count: Int) { state.change { $0.didSend(count) } }

    /// The connection is closed: what waits ends with this error, reading after what has arrived. With `nil` this program
    /// has closed it, and reading ends without an error.
    func didClose(_ error: AsyncNetError?) { state.change { $0.didClose(error) } }
}
