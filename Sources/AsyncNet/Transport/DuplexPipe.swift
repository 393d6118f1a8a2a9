import Foundation
import Synchronization

/// The bytes between the tasks that use a duplex connection and the thread that carries it, see `DuplexPipeState`.
final class DuplexPipe: Sendable {
    private let state = AwaitedState(DuplexPipeState())
    private let onRoom: @Sendable () -> Void
    private let onOutgoing: @Sendable () -> Void
    /// Where tasks send to, and where the reader receives from when the thread has handed it over.
    private let direct: (any DirectIO)?
    /// How many writes were sent by their tasks, since one of these waited.
    private let directSends = Atomic(0)

    /// - Parameters:
    ///   - onRoom: Called when the thread stopped receiving and may go on.
    ///   - onOutgoing: Called when there is something to send, or to close.
    init(
        _ direct: (any DirectIO)? = nil, onRoom: @escaping @Sendable () -> Void,
        onOutgoing: @escaping @Sendable () -> Void
    ) {
        (self.direct, self.onRoom, self.onOutgoing) = (direct, onRoom, onOutgoing)
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
            case .directly: if let data = await receiveDirectly() { return data }
            case .wait: await state.wait { $0.isReadable }
            }
        }
    }

    /// - Returns: `nil` if nothing has arrived, or the thread is to find out how the connection ended.
    private func receiveDirectly() async -> Data? {
        var received: (data: Data, isLong: Bool)?
        var isThreadNeeded = false
        direct?.inOrder { receive in
            // Another reader may have changed it.
            guard state.read({ $0.isReadDirectly }) else { return }
            switch receive() {
            case .bytes(let data, let isLong): received = (data, isLong)
            case .failure(let error):
                state.change { $0.endReceiving(.failure(error)) }
                isThreadNeeded = true
            case .nothing, .end: isThreadNeeded = state.change { $0.takeBack() }
            }
        }
        if isThreadNeeded { onRoom() }
        // A reader that never waits would keep its thread from other tasks.
        if received?.isLong == true { await Task.yield() }
        return received?.data
    }

    func send(_ data: Data) throws(AsyncNetError) {
        try inOrder { sendDirectly throws(AsyncNetError) in
            let sent = state.read { $0.isIdle } ? sendDirectly(data) : 0
            if sent > 0 { directSends.add(1, ordering: .relaxed) }
            if sent == 0 { try queue(data) } else if sent < data.count { try queue(data.dropFirst(sent)) }
        }
    }

    /// Nothing overtakes bytes that another task is about to send, or is added between them.
    private func inOrder<Failure: Error>(_ body: ((Data) -> Int) throws(Failure) -> Void) throws(Failure) {
        if let direct { try direct.inOrder(sending: body) } else { try body { _ in 0 } }
    }

    private func queue(_ data: Data) throws(AsyncNetError) {
        let isNews = try state.change { state throws(AsyncNetError) in try state.send(data) }
        if isNews { onOutgoing() }
    }

    func sendingRoom() async throws(AsyncNetError) {
        // A writer that never waits would keep its thread from other tasks.
        if directSends.load(ordering: .relaxed) >= 16 {
            directSends.store(0, ordering: .relaxed)
            await Task.yield()
        }
        while !state.read({ $0.hasSendingRoom }) {
            guard !Task.isCancelled else { throw AsyncNetError(.cancelled) }
            await state.wait { $0.hasSendingRoom }
        }
        if let error = state.read({ $0.sendingFailure }) { throw error }
    }

    func finishSending() throws(AsyncNetError) {
        try inOrder { _ throws(AsyncNetError) in
            let isNews = try state.change { state throws(AsyncNetError) in try state.finishSending() }
            if isNews { onOutgoing() }
        }
    }

    /// Returns when the connection is closed, or the task is cancelled.
    func close() async {
        var isNews: Bool?
        inOrder { _ in isNews = state.change { $0.close() } }
        guard let isNews else { return }
        if isNews { onOutgoing() }
        await state.wait { $0.closure != nil }
    }

    // MARK: From the thread

    func receivingRoom() -> Int { state.change { $0.receivingRoom() } }
    func receive(_ data: Data) { state.change { $0.receive(data) } }
    func endReceiving(_ result: Result<Void, AsyncNetError>) { state.change { $0.endReceiving(result) } }
    var receivingFailure: AsyncNetError? { state.read { $0.receivingFailure } }
    func handOver() { state.change { $0.handOver() } }
    func failSending(_ error: AsyncNetError) { state.change { $0.failSending(error) } }
    func takeBack() { _ = state.change { $0.takeBack() } }
    func takeOutgoing() -> DuplexPipeState.Outgoing { state.change { $0.takeOutgoing() } }
    func didSend(_ count: Int) { state.change { $0.didSend(count) } }

    /// The connection is closed: what waits ends with this error, reading after what has arrived. With `nil` this program
    /// has closed it, and reading ends without an error.
    func didClose(_ error: AsyncNetError?) { state.change { $0.didClose(error) } }
}
