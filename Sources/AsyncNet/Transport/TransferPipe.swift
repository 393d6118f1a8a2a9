import Foundation

private let highWaterMark = 256 * 1024

/// One response on its way from a transport's callbacks to the one task that reads it.
///
/// The transport's side (`receive…`, `finish`) is called in order, never blocks and may be called late: what comes
/// after the end is dropped. The reader's side (`head`, `nextBatch`) suspends until there is news. Either side may end
/// the transfer, the first end counts: the transport by `finish`, the reader by `abort`, which also happens when its
/// task is cancelled. An abort wakes the reader at once and runs the transport's `onAbort`, exactly once, so no reader
/// waits for a transport to notice.
///
/// A reader that wants the whole is woken at the end, or when the buffer is full; one that takes what comes, for each
/// part. The head of a redirect, of an error or of a response that will be refused makes the first kind of reader the
/// second: such a body may be of no interest, and may never end.
///
/// Buffered bytes above the high-water mark make `receive` answer `.pause`; `onDemand` runs when the reader has taken
/// them. Where the transport cannot pause, what comes then is gathered in `tail` and goes to a file whenever that is
/// full, until the reader has caught up. The continuation is resumed and hooks run outside the lock.
///
/// A reader who only puts the bytes somewhere saves the way to another thread, and the file, with a relay: while there
/// is one, `receive` calls it with each chunk, and the reader waits. He goes on only when the relay has returned, also
/// after an abort.
final class TransferPipe: Sendable {
    enum Demand { case more, pause }

    /// Takes a chunk on the transport's thread; `false` is that the next ones are to be kept for the reader.
    typealias Relay = @Sendable (Data) -> Bool

    private struct State {
        var delivery: TransportRequest.Delivery
        var head: HTTPResponseHead?
        var chunks: [Data] = []
        var bufferedBytes = 0
        var receivedBytes: Int64 = 0
        var isPaused = false
        /// The body's content coding is undone by its reader, who counts it and wants each part, whatever the delivery
        /// is.
        var isEncoded = false
        /// Holds what came after `chunks`. While bytes are on their way there, nothing may pass them.
        var spill: Spill?
        var isSpilling = false
        /// What came after that.
        var tail = Data()
        var relay: Relay?
        var isRelaying = false
        var end: Result<Void, AsyncNetError>?
        var waiter: (interest: Interest, continuation: CheckedContinuation<Void, Never>)?
        var onAbort: (@Sendable () -> Void)?
        var onDemand: (@Sendable () -> Void)?

        func has(_ interest: Interest) -> Bool {
            switch interest {
            case .head: end != nil || head != nil
            case .headOfWhole:
                end != nil || bufferedBytes > highWaterMark || head != nil && (isEncoded || delivery == .asItArrives)
            case .chunks: end != nil || !chunks.isEmpty || spill?.isEmpty == false || !isSpilling && !tail.isEmpty
            case .endOfRelay: !isRelaying && (end != nil || relay == nil)
            case .whole: end != nil || bufferedBytes > highWaterMark || isEncoded && !chunks.isEmpty
            }
        }

        mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
            guard let waiter, has(waiter.interest) else { return nil }
            self.waiter = nil
            return waiter.continuation
        }

        /// Everything from memory, or `nil` if something else comes first.
        mutating func takeBuffered() -> [Data]? {
            if !chunks.isEmpty {
                bufferedBytes = 0
                defer { chunks = [] }
                return chunks
            }
            guard !isSpilling, spill?.isEmpty != false else { return nil }
            // Caught up: what comes next fits into memory.
            spill = nil
            guard !tail.isEmpty else { return nil }
            defer { tail = Data() }
            return [tail]
        }

        mutating func dropAll() { (chunks, spill, tail, relay) = ([], nil, Data(), nil) }
    }

    private enum Interest { case head, headOfWhole, chunks, whole, endOfRelay }

    private let state: Locked<State>
    private let isUrgent: (@Sendable (HTTPResponseHead) -> Bool)?
    private let limit: Int64
    private let spillSettings: Spill.Settings?

    /// - Parameter limit: How many bytes the body may have; more end the transfer with `.bodyTooLarge`.
    /// - Parameter spill: Where a transport that cannot pause puts what is not read as it arrives.
    /// - Parameter isUrgent: Whether a reader of the whole is to have this head at once, though its status is below
    ///   300.
    init(
        _ delivery: TransportRequest.Delivery, limit: Int64? = nil, spill: Spill.Settings? = nil,
        isUrgent: (@Sendable (HTTPResponseHead) -> Bool)? = nil
    ) {
        state = Locked(State(delivery: delivery))
        self.isUrgent = isUrgent
        spillSettings = delivery == .whole ? nil : spill
        self.limit = limit ?? .max
    }

    // MARK: The transport's side

    /// Sets what ends and what unpauses the transfer. If it is aborted already, `onAbort` runs now.
    func connect(onAbort: @escaping @Sendable () -> Void, onDemand: (@Sendable () -> Void)? = nil) {
        let isOver = state.withLock { state in
            guard state.end == nil else { return true }
            state.onAbort = onAbort
            state.onDemand = onDemand
            return false
        }
        if isOver { onAbort() }
    }

    var isEnded: Bool { state.withLock { $0.end != nil } }
    var isPaused: Bool { state.withLock { $0.isPaused } }
    var isRelayed: Bool { state.withLock { $0.relay != nil } }
    var hasHead: Bool { state.withLock { $0.head != nil } }
    /// As things are now: the head may have changed it.
    var delivery: TransportRequest.Delivery { state.withLock { $0.delivery } }

    /// To be called before the head and the first bytes of a body that its reader decodes.
    func expectEncodedBody() { state.withLock { $0.isEncoded = true } }

    func receive(_ head: HTTPResponseHead) {
        let isUrgent = head.statusCode >= 300 || isUrgent?(head) == true
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.end == nil else { return nil }
            state.head = head
            if isUrgent { state.delivery = .asItArrives }
            return state.takeWaiter()
        }
        waiter?.resume()
    }

    func receive(_ chunk: Data) -> Demand {
        guard isWithinLimit(chunk) else {
            abort(AsyncNetError(bodyLargerThan: limit))
            return .more
        }
        switch route(chunk) {
        case .relay(let relay):
            endRelay(wantsMore: relay(chunk))
            return .more
        case .tail(let waiter):
            waiter?.resume()
            if let spillSettings { spillOver(spillSettings) }
            return .more
        case .buffer(let waiter, let demand):
            waiter?.resume()
            return demand
        }
    }

    private enum Route {
        case relay(Relay)
        case tail(CheckedContinuation<Void, Never>?)
        case buffer(CheckedContinuation<Void, Never>?, Demand)
    }

    /// Where a chunk goes, and unless that is the relay, there it is. At one stroke: a relay that came in between would
    /// get the next chunk first.
    private func route(_ chunk: Data) -> Route {
        state.withLock { state in
            guard state.end == nil else { return .buffer(nil, .more) }
            if let relay = state.relay {
                state.isRelaying = true
                return .relay(relay)
            }
            guard
                spillSettings == nil || state.spill == nil && state.tail.isEmpty && state.bufferedBytes <= highWaterMark
            else {
                if state.tail.isEmpty { state.tail.reserveCapacity(highWaterMark + chunk.count) }
                state.tail.append(chunk)
                return .tail(state.takeWaiter())
            }
            state.chunks.append(chunk)
            state.bufferedBytes += chunk.count
            let waiter = state.takeWaiter()
            state.isPaused = waiter == nil && state.bufferedBytes > highWaterMark && spillSettings == nil
            return .buffer(waiter, state.isPaused ? .pause : .more)
        }
    }

    private func endRelay(wantsMore: Bool) {
        let waiter = state.withLock { state in
            state.isRelaying = false
            if !wantsMore { state.relay = nil }
            return state.takeWaiter()
        }
        waiter?.resume()
    }

    /// Writes a tail that is full; a full one at a time costs a fraction of what chunks of 16 KiB do.
    private func spillOver(_ settings: Spill.Settings) {
        guard var tail = takeFullTail() else { return }
        do throws(AsyncNetError) {
            let known = state.withLock { $0.spill }
            let spill = if let known { known } else { try Spill(settings) }
            try spill.add(tail)
            // The next one is gathered in the same memory.
            tail.removeAll(keepingCapacity: true)
            let waiter = state.withLock { state in
                state.isSpilling = false
                if state.end == nil { (state.spill, state.tail) = (spill, tail) }
                return state.takeWaiter()
            }
            waiter?.resume()
        } catch {
            abort(error)
        }
    }

    private func takeFullTail() -> Data? {
        state.withLock { state in
            guard state.end == nil, state.tail.count >= highWaterMark else { return nil }
            defer { state.tail = Data() }
            state.isSpilling = true
            return state.tail
        }
    }

    private func isWithinLimit(_ chunk: Data) -> Bool {
        guard limit < .max else { return true }
        return state.withLock { state in
            state.receivedBytes += Int64(chunk.count)
            return state.isEncoded || state.receivedBytes <= limit
        }
    }

    /// The end of the transfer with everything that came last, at one stroke.
    func finish(_ head: HTTPResponseHead?, _ chunk: Data?, _ result: Result<Void, AsyncNetError>) {
        if let chunk, !isWithinLimit(chunk) { return finish(head, nil, .failure(AsyncNetError(bodyLargerThan: limit))) }
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.end == nil else { return nil }
            state.head = head ?? state.head
            if let chunk { state.chunks.append(chunk) }
            state.end = result
            (state.onAbort, state.onDemand, state.relay) = (nil, nil, nil)
            return state.takeWaiter()
        }
        waiter?.resume()
    }

    /// Ends the transfer from below: whole, or with an error. What was received stays readable before a good end.
    func finish(_ result: Result<Void, AsyncNetError>) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.end == nil else { return nil }
            state.end = result
            (state.onAbort, state.onDemand, state.relay) = (nil, nil, nil)
            return state.takeWaiter()
        }
        waiter?.resume()
    }

    // MARK: The reader's side

    func head() async throws(AsyncNetError) -> HTTPResponseHead {
        await wait(for: delivery == .whole ? .headOfWhole : .head)
        let (head, end) = state.withLock { ($0.head, $0.end) }
        if case .failure(let error) = end, head == nil || error.code == .cancelled { throw error }
        guard let head else { throw AsyncNetError(.emptyReply) }
        return head
    }

    /// Everything received since the last call; `nil` at the end.
    func nextBatch() async throws(AsyncNetError) -> [Data]? {
        while true {
            await wait(for: delivery == .whole ? .whole : .chunks)
            let (chunks, spill, end, onDemand) = state.withLock { state in
                let onDemand = state.isPaused ? state.onDemand : nil
                state.isPaused = false
                return (state.takeBuffered(), state.spill, state.end, onDemand)
            }
            onDemand?()
            if let chunks { return chunks }
            if let spilled = try spill?.take() { return [spilled] }
            if let end {
                try end.get()
                return nil
            }
            // The tail was full in the meantime, and is on its way to the file.
        }
    }

    /// Has `relay` called with what comes, until it wants no more or the transfer ends. `false` if that cannot be: the
    /// transport can pause, or there is something to read first.
    func relay(_ relay: @escaping Relay) async -> Bool {
        guard spillSettings != nil else { return false }
        let isSet = state.withLock { state in
            guard state.end == nil, state.chunks.isEmpty, state.tail.isEmpty, !state.isSpilling,
                state.spill?.isEmpty != false
            else { return false }
            (state.spill, state.relay) = (nil, relay)
            return true
        }
        if isSet { await wait(for: .endOfRelay) }
        return isSet
    }

    /// Ends the transfer from above. Nothing more is read.
    func abort(_ error: AsyncNetError) {
        let (waiter, onAbort) = state.withLock {
            state -> (CheckedContinuation<Void, Never>?, (@Sendable () -> Void)?) in
            guard state.end == nil else { return (nil, nil) }
            state.end = .failure(error)
            state.dropAll()
            let onAbort = state.onAbort
            (state.onAbort, state.onDemand) = (nil, nil)
            return (state.takeWaiter(), onAbort)
        }
        waiter?.resume()
        onAbort?()
    }

    private func wait(for interest: Interest) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.has(interest) { return true }
                    state.waiter = (interest, continuation)
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            abort(AsyncNetError(.cancelled))
        }
    }

    /// What a reader holds; when the last one lets go, the transfer ends.
    final class Lease: Sendable {
        let pipe: TransferPipe
        init(_ pipe: TransferPipe) { self.pipe = pipe }
        deinit { pipe.abort(AsyncNetError(.cancelled, "The response's body was dropped")) }
    }
}
