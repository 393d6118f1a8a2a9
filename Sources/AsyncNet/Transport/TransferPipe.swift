package import Foundation

/// Passes one response from a transport's callbacks to the task that reads it.
///
/// The transport's functions (`receive…`, `finish`) are called in order and do not wait for the reader. They may be
/// called late: what the transport delivers after the end of the transfer is dropped. The reader's functions (`head`,
/// `nextBatch`) suspend until there is something to read. Either side may end the transfer and the first end counts:
/// the transport by `finish`, the reader by `abort`, which also happens when its task is cancelled. An abort resumes
/// the reader at once and calls the transport's `onAbort`, exactly once, so that no reader waits until the transport
/// notices.
///
/// With the delivery `.whole` the reader is resumed at the end of the body or when the buffer is full; with
/// `.asItArrives`, for each chunk. The head of a redirect, of an error or of a response that will be refused changes
/// the first delivery to the second: the reader may not need such a body, and the body may never end.
///
/// While more bytes are stored than the high-water mark, `receive` returns `.pause`; `onDemand` is called when the
/// reader has taken them. For a transport that cannot pause, `TransferPipe+Spill` writes later bytes to a file.
///
/// Continuations are unchecked, as a checked one is an allocation for each wait: `reader` is taken out of the state by
/// whoever resumes it.
///
/// `TransferPipeState` decides what follows from each call. This class carries it out: continuations, hooks and the
/// file are used outside the lock, because each of them may take locks of its own.
package final class TransferPipe: Sendable {
    package enum Demand { case more, pause }

    /// What the pipe needs to carry out the actions of `machine`.
    struct State {
        var machine: TransferPipeState
        var reader: UnsafeContinuation<Void, Never>?
        var file: SpillFile?
        var onAbort: (@Sendable () -> Void)?
        var onDemand: (@Sendable () -> Void)?
    }

    let state: Locked<State>
    let spill: SpillFile.Settings?
    private let isUrgent: (@Sendable (HTTPResponseHead) -> Bool)?

    /// - Parameters:
    ///   - limit: The largest body in bytes; a larger body ends the transfer with `.bodyTooLarge`. `nil` means no
    ///     limit.
    ///   - isUrgent: Whether a head with a status below 300 is delivered at once with the delivery `.whole` too, as a
    ///     validator refuses it.
    package convenience init(
        _ delivery: TransportRequest.Delivery, limit: Int64? = nil,
        isUrgent: (@Sendable (HTTPResponseHead) -> Bool)? = nil
    ) {
        self.init(delivery, limit: limit, spill: nil, isUrgent: isUrgent)
    }

    /// - Parameter spill: The file for a transport that cannot pause. With the delivery `.whole` there is none: the reader
    ///   takes the bytes whenever the buffer is full.
    init(
        _ delivery: TransportRequest.Delivery, limit: Int64? = nil, spill: SpillFile.Settings?,
        isUrgent: (@Sendable (HTTPResponseHead) -> Bool)? = nil
    ) {
        let spill = delivery == .whole ? nil : spill
        self.spill = spill
        self.isUrgent = isUrgent
        state = Locked(State(machine: TransferPipeState(delivery, limit: limit ?? .max, spillLimit: spill?.limit)))
    }

    package var isEnded: Bool { state.withLock { $0.machine.end != nil } }
    package var isPaused: Bool { state.withLock { $0.machine.isPaused } }
    var hasHead: Bool { state.withLock { $0.machine.head != nil } }
    /// The current delivery: a head that must be delivered at once changes `.whole` to `.asItArrives`.
    package var delivery: TransportRequest.Delivery { state.withLock { $0.machine.delivery } }

    /// The reader's reference to the pipe. The transfer ends when the last reference to the lease is released.
    final class Lease: Sendable {
        let pipe: TransferPipe
        init(_ pipe: TransferPipe) { self.pipe = pipe }
        deinit { pipe.abort(AsyncNetError(.cancelled, "The response's body was dropped")) }
    }
}

// MARK: The transport's side

extension TransferPipe {
    /// Sets the hooks that end and unpause the transfer. If the transfer has been aborted, `onAbort` is called now.
    package func connect(onAbort: @escaping @Sendable () -> Void, onDemand: (@Sendable () -> Void)? = nil) {
        let isConnected = state.withLock { state in
            guard state.machine.end == nil else { return false }
            (state.onAbort, state.onDemand) = (onAbort, onDemand)
            return true
        }
        if !isConnected { onAbort() }
    }

    /// Must be called before the head and the first chunk of a body whose content coding the reader decodes.
    package func expectEncodedBody() { state.withLock { $0.machine.expectEncodedBody() } }

    package func receive(_ head: HTTPResponseHead) {
        let isUrgent = head.statusCode >= 300 || isUrgent?(head) == true
        state.withLock { $0.receive(head, isUrgent: isUrgent) }?.resume()
    }

    package func receive(_ chunk: Data) -> Demand {
        let (action, reader) = state.withLock { $0.receive(chunk) }
        switch action {
        case .drop, .store: break
        case .storeAndResumeReader: reader?.resume()
        case .storeAndPauseTransport: return .pause
        case .spill: spillTail()
        case .abort(let limit): abort(Self.error(for: limit))
        }
        return .more
    }

    /// Ends the transfer, with the head and the last chunk if they have not been delivered before.
    package func finish(_ head: HTTPResponseHead?, _ chunk: Data?, _ result: Result<Void, AsyncNetError>) {
        state.withLock { $0.finish(head, chunk, result) }?.resume()
    }

    /// Ends the transfer. Bytes received before remain readable, also before an error.
    package func finish(_ result: Result<Void, AsyncNetError>) { finish(nil, nil, result) }
}

// MARK: The reader's side

extension TransferPipe {
    func head() async throws(AsyncNetError) -> HTTPResponseHead {
        await wait(for: .head)
        return try state.withLock { state throws(AsyncNetError) in try state.machine.receivedHead() }
    }

    /// The head with a body that reads this pipe, or with the body itself if the transfer has succeeded by then and the
    /// body is in one piece.
    package func response() async throws(AsyncNetError) -> (head: HTTPResponseHead, body: TransportBody) {
        await wait(for: .head)
        let (head, whole) = try state.withLock { state throws(AsyncNetError) in
            (try state.machine.receivedHead(), state.machine.takeWhole())
        }
        return (head, whole.map { TransportBody($0) } ?? TransportBody(self))
    }

    /// All chunks that can be read now; `nil` at the end of the body.
    func nextBatch() async throws(AsyncNetError) -> [Data]? {
        while true {
            await wait(for: .body)
            let (action, file, onDemand) = state.withLock { $0.read() }
            onDemand?()
            switch action {
            case .deliver(let chunks): return chunks
            case .readFile(let offset, let count):
                if let chunk = try readFile(file, offset: offset, count: count) { return [chunk] }
            case .end(let result):
                try result.get()
                return nil
            case .wait: break
            }
        }
    }

    /// Ends the transfer and drops the bytes that have not been read.
    func abort(_ error: AsyncNetError) {
        let (reader, onAbort) = state.withLock { $0.abort(error) }
        reader?.resume()
        onAbort?()
    }

    func wait(for interest: TransferPipeState.Interest) async {
        guard Task.isCancelled || !state.withLock({ $0.machine.isSatisfied(interest) }) else { return }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                state.withLock { $0.wait(for: interest, continuation) }?.resume()
            }
        } onCancel: {
            abort(AsyncNetError(.cancelled))
        }
    }
}

// MARK: Under the lock

extension TransferPipe.State {
    typealias Reader = UnsafeContinuation<Void, Never>

    private mutating func takeReader(_ action: TransferPipeState.ReaderAction) -> Reader? {
        action == .resume ? reader.take() : nil
    }

    mutating func receive(_ head: HTTPResponseHead, isUrgent: Bool) -> Reader? {
        takeReader(machine.receive(head, isUrgent: isUrgent))
    }

    mutating func receive(_ chunk: Data) -> (TransferPipeState.ChunkAction, Reader?) {
        let action = machine.receive(chunk)
        return (action, action == .storeAndResumeReader ? reader.take() : nil)
    }

    mutating func didSpill(_ count: Int, to file: SpillFile, reusing memory: Data) -> Reader? {
        let action = machine.didSpill(count, reusing: memory)
        if machine.usesFile { self.file = file }
        return takeReader(action)
    }

    mutating func finish(_ head: HTTPResponseHead?, _ chunk: Data?, _ result: Result<Void, AsyncNetError>) -> Reader? {
        (onAbort, onDemand) = (nil, nil)
        return takeReader(machine.finish(head, chunk, result))
    }

    mutating func wait(for interest: TransferPipeState.Interest, _ continuation: Reader) -> Reader? {
        reader = continuation
        return takeReader(machine.wait(for: interest))
    }

    mutating func read() -> (TransferPipeState.ReadAction, SpillFile?, (@Sendable () -> Void)?) {
        let (action, resumesTransport) = machine.read()
        defer { if !machine.usesFile { file = nil } }
        return (action, file, resumesTransport ? onDemand : nil)
    }

    mutating func abort(_ error: AsyncNetError) -> (Reader?, onAbort: (@Sendable () -> Void)?) {
        guard case .abortTransport(let action) = machine.abort(error) else { return (nil, nil) }
        defer { (file, onAbort, onDemand) = (nil, nil, nil) }
        return (takeReader(action), onAbort)
    }
}
