import Foundation
import Synchronization

/// Reports what happens in a run's transfers to the record, the observers, and the timer that notices silence.
final class TransferWatch: Sendable {
    private let record: TransferRecord
    private let observers: RequestObservers?
    private let hold: TransferHold
    private let redirects: RedirectPolicy
    /// Whether the response is delivered even if its head is that of a redirect which would be followed.
    private let isFinal = Atomic(false)
    private let idle = Locked<IdleTimer?>(nil)
    /// The transport waits for bytes of the request's body, not for the server.
    private let isBodyAwaited = Atomic(false)
    /// The transfer waits for the reader of the response's body, not for the server.
    private let isReaderBusy = Atomic(false)
    private let sendRate = Locked(RateEstimate())
    private let receiveRate = Locked(RateEstimate())

    init(_ record: TransferRecord, _ observers: RequestObservers?, _ hold: TransferHold, _ redirects: RedirectPolicy) {
        (self.record, self.observers, self.hold, self.redirects) = (record, observers, hold, redirects)
    }

    // MARK: Silence

    /// Counts the server's silence until `stop()`, except while the request is suspended or the transfer does not wait
    /// for the server.
    func start(_ timers: TimerQueue, timeout: Duration, onSilence: @escaping @Sendable () -> Void) {
        isBodyAwaited.store(false, ordering: .relaxed)
        isReaderBusy.store(false, ordering: .relaxed)
        isFinal.store(false, ordering: .relaxed)
        // A retain cycle until `stop()`: timer → watch → timer.
        let isHeldBack: @Sendable () -> Bool = { [self] in
            hold.isHeld || isReaderBusy.load(ordering: .relaxed) || isBodyAwaited.load(ordering: .relaxed)
        }
        let timer = IdleTimer(timers, timeout: timeout, isHeldBack: isHeldBack, onSilence: onSilence)
        idle.withLock { $0 = timer }
    }

    func stop() {
        let timer = idle.withLock { $0.take() }
        timer?.stop()
    }

    /// The transfer waits for the reader until `read()`, whatever the transport reports meanwhile.
    func pause() {
        isReaderBusy.store(true, ordering: .relaxed)
        idle.withLock { $0 }?.pause()
    }

    /// The reader waits for the server.
    func read() {
        isReaderBusy.store(false, ordering: .relaxed)
        touch()
    }

    /// Counts silence from now on, unless the transfer does not wait for the server.
    func touch() {
        guard !isBodyAwaited.load(ordering: .relaxed), !isReaderBusy.load(ordering: .relaxed) else { return }
        idle.withLock { $0 }?.touch()
    }

    /// After a suspension silence is counted from the suspension's end.
    func restart() { idle.withLock { $0 }?.restart() }

    // MARK: The transport's events

    /// Stores an event and passes it on; called on the transport's threads.
    func receive(_ event: TransportEvent) {
        updateSilence(event)
        switch event {
        case .repeated:
            record.repeated()
            observers?.events.send(.repeated)
        case .informational(let head): observers?.events.send(.informational(head))
        case .sentBody(let bytes, let total):
            record.sentBytes(bytes)
            observers?.uploads.send(progress(bytes, of: total, moved: bytes, sendRate))
        case .receivedHead(let head): received(head)
        case .receivedBody(let bytes, let head): received(ReceivedBytes(count: bytes), of: head)
        case .metrics(let metrics): record.measured(metrics)
        case .queued, .started, .awaitingBody, .trailers: break
        }
    }

    private func updateSilence(_ event: TransportEvent) {
        switch event {
        case .queued: idle.withLock { $0 }?.pause()
        case .awaitingBody:
            isBodyAwaited.store(true, ordering: .relaxed)
            idle.withLock { $0 }?.pause()
        case .sentBody, .started:
            isBodyAwaited.store(false, ordering: .relaxed)
            touch()
        default: touch()
        }
    }

    // MARK: The response

    /// Reports a response that is delivered, whatever its status.
    func receivedFinal(_ head: HTTPResponseHead) {
        isFinal.store(true, ordering: .relaxed)
        received(head)
    }

    private func received(_ head: HTTPResponseHead) {
        guard !isFollowed(head), record.received(head) else { return }
        observers?.events.send(.response(head))
    }

    func received(_ bytes: ReceivedBytes, of head: HTTPResponseHead) {
        guard !isFollowed(head) else { return }
        record.receivedBytes(bytes.count)
        guard let observers else { return }
        let total = bytes.total ?? Self.expectedBytes(head).map { $0 + bytes.offset }
        observers.downloads.send(progress(bytes.count + bytes.offset, of: total, moved: bytes.count, receiveRate))
    }

    /// Reports the end of a body, whose length is now known even if its head did not have it.
    func receivedAll(_ bytes: Int64, after offset: Int64 = 0) {
        record.receivedBytes(bytes)
        observers?.downloads.send(progress(bytes + offset, of: bytes + offset, moved: bytes, receiveRate))
    }

    /// Redirects that are followed are not reported as responses.
    private func isFollowed(_ head: HTTPResponseHead) -> Bool {
        300..<400 ~= head.statusCode && !isFinal.load(ordering: .relaxed) && redirects.follows(head)
    }

    /// `nil` with a `Content-Encoding`: `Content-Length` is the length of the encoded body.
    private static func expectedBytes(_ head: HTTPResponseHead) -> Int64? {
        head.value(for: "Content-Encoding") == nil ? head.contentLength : nil
    }

    /// - Parameter moved: The bytes of this transfer alone, which the rate is computed from.
    private func progress(_ bytes: Int64, of total: Int64?, moved: Int64, _ rate: borrowing Locked<RateEstimate>)
        -> TransferProgress
    {
        let elapsed = record.elapsed
        let bytesPerSecond = rate.withLock { rate in
            rate.update(moved, at: elapsed)
            return rate.bytesPerSecond
        }
        return TransferProgress(completedBytes: bytes, totalBytes: total, bytesPerSecond: bytesPerSecond)
    }
}
