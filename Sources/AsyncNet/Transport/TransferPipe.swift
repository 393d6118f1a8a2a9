package import Foundation

/// Passes one response from a transport's callbacks to the task that reads it.
///
/// The transport's functions (`receive…`, `finish`) are called in order and do not wait for the reader; after the end
/// they do nothing. The reader's functions (`response`, `nextBatch`) suspend until there is something to read. The
/// first end counts: the transport's `finish`, or an `abort` by the reader or by a cancel of the reader's task. An
/// abort resumes the reader, and calls the transport's `onAbort` once.
///
/// With the delivery `.whole` the reader is resumed at the end of the body or when the buffer is full; with
/// `.asItArrives`, for each chunk. The head of a redirect, of an error or of a response that will be refused changes
/// `.whole` to `.asItArrives`: the reader may not need the body, which may never end.
///
/// If the reader is behind and more bytes than the high-water mark are stored, `receive` returns `.pause`; `onDemand`
/// is called when the reader has taken them. Hooks are called outside the lock, as they may take other locks.
package final class TransferPipe: Sendable {
    package enum Demand { case more, pause }

    private struct State {
        var machine: TransferPipeState
        var onAbort: (@Sendable () -> Void)?
        var onDemand: (@Sendable () -> Void)?
    }

    private let state: AwaitedState<State>
    private let isUrgent: (@Sendable (HTTPResponseHead) -> Bool)?

    /// - Parameter isUrgent: Whether a head with a status below 300 is delivered at once, since a validator refuses
    ///   it.
    package init(
        _ delivery: TransportRequest.Delivery, limit: Int64? = nil,
        isUrgent: (@Sendable (HTTPResponseHead) -> Bool)? = nil
    ) {
        self.isUrgent = isUrgent
        state = AwaitedState(State(machine: TransferPipeState(delivery, limit: limit ?? .max)))
    }

    package var isEnded: Bool { state.read { $0.machine.end != nil } }
    package var isPaused: Bool { state.read { $0.machine.isPaused } }
    var hasHead: Bool { state.read { $0.machine.head != nil } }
    /// The current delivery: a head that must be delivered at once changes `.whole` to `.asItArrives`.
    package var delivery: TransportRequest.Delivery { state.read { $0.machine.delivery } }

    /// The reader's reference to the pipe. The transfer ends when the last reference to the lease is released.
    final class Lease: Sendable {
        let pipe: TransferPipe
        init(_ pipe: TransferPipe) { self.pipe = pipe }
        deinit { pipe.abort(AsyncNetError(.cancelled, "The response's body was released before its end")) }
    }

    /// Sets the hooks that end and unpause the transfer. If the transfer has been aborted, `onAbort` is called now.
    package func connect(onAbort: @escaping @Sendable () -> Void, onDemand: (@Sendable () -> Void)? = nil) {
        let isConnected = state.change { state in
            guard state.machine.end == nil else { return false }
            state.onAbort = onAbort
            state.onDemand = onDemand
            return true
        }
        if !isConnected { onAbort() }
    }

    /// Called before the head and the first chunk of a body whose content coding the reader decodes.
    package func expectEncodedBody() { state.change { $0.machine.expectEncodedBody() } }

    package func receive(_ head: HTTPResponseHead) {
        let isUrgent = head.statusCode >= 300 || isUrgent?(head) == true
        state.change { $0.machine.receive(head, isUrgent: isUrgent) }
    }

    package func receive(_ chunk: Data) -> Demand {
        switch state.change({ $0.machine.receive(chunk) }) {
        case .store: return .more
        case .pause: return .pause
        case .abort(let error):
            abort(error)
            return .more
        }
    }

    /// Ends the transfer, with the head and the last chunk if they have not been delivered before.
    package func finish(_ head: HTTPResponseHead?, _ chunk: Data?, _ result: Result<Void, AsyncNetError>) {
        state.change { state in
            state.onAbort = nil
            state.onDemand = nil
            state.machine.finish(head, chunk, result)
        }
    }

    /// Ends the transfer. Bytes received before remain readable, also before an error.
    package func finish(_ result: Result<Void, AsyncNetError>) { finish(nil, nil, result) }

    func head() async throws(AsyncNetError) -> HTTPResponseHead {
        await wait { $0.machine.hasHeadToRead }
        return try state.read { $0.machine.receivedHead }.get()
    }

    /// The head with a body that reads this pipe, or with the whole body if the body has arrived in one piece.
    package func response() async throws(AsyncNetError) -> (head: HTTPResponseHead, body: TransportBody) {
        await wait { $0.machine.hasHeadToRead }
        let (head, whole) = state.change { ($0.machine.receivedHead, $0.machine.takeWhole()) }
        return (try head.get(), whole.map { TransportBody($0) } ?? TransportBody(self))
    }

    /// All chunks that can be read now; `nil` at the end of the body.
    func nextBatch() async throws(AsyncNetError) -> [Data]? {
        await wait { $0.machine.hasBytesToRead }
        let (read, onDemand) = state.change { state in
            let (read, resumesTransport) = state.machine.read()
            return (read, resumesTransport ? state.onDemand : nil)
        }
        onDemand?()
        return try read.get()
    }

    func abort(_ error: AsyncNetError) {
        let onAbort = state.change { state -> (@Sendable () -> Void)? in
            guard state.machine.abort(error) else { return nil }
            state.onDemand = nil
            return state.onAbort.take()
        }
        onAbort?()
    }

    private func wait(until isReady: @escaping @Sendable (inout State) -> Bool) async {
        await state.wait(until: isReady)
        if Task.isCancelled { abort(AsyncNetError(.cancelled)) }
    }
}
