import Foundation
import Synchronization

/// Takes what happens in one request's transfer to where it belongs: record, progress, events, idle timer.
final class TransferWatch: Sendable {
    private let request: DataRequest
    private let redirects = Locked(RedirectPolicy())
    /// The response is the answer, though it looks like a redirect to follow.
    private let isAnswered = Atomic(false)
    private let idle = Locked<IdleTimer?>(nil)
    /// The network waits for the caller's body, not for the server.
    private let isBodyAwaited = Atomic(false)
    private let sendRate = Locked(RateEstimate())
    private let receiveRate = Locked(RateEstimate())
    /// The reader of the response takes its time.
    private let isReaderBusy = Atomic(false)

    init(_ request: DataRequest) { self.request = request }

    /// Heads that only lead elsewhere are not told of.
    func follow(_ redirects: RedirectPolicy) { self.redirects.withLock { $0 = redirects } }

    private func follows(_ head: HTTPResponseHead) -> Bool {
        300..<400 ~= head.statusCode && !isAnswered.load(ordering: .relaxed) && redirects.withLock { $0 }.follows(head)
    }

    /// Of the answer, whatever its status.
    func answered(_ head: HTTPResponseHead) {
        isAnswered.store(true, ordering: .relaxed)
        received(head)
    }

    /// Watches for silence until `stop()`; time spent suspended is none.
    func start(_ timers: TimerQueue, timeout: Duration, onSilence: @escaping @Sendable () -> Void) {
        isBodyAwaited.store(false, ordering: .relaxed)
        isReaderBusy.store(false, ordering: .relaxed)
        isAnswered.store(false, ordering: .relaxed)
        // Until `stop()` the timer knows the watch.
        let isHeldBack: @Sendable () -> Bool = { [self] in
            request.isHeldBack || isReaderBusy.load(ordering: .relaxed) || isBodyAwaited.load(ordering: .relaxed)
        }
        let timer = IdleTimer(timers, timeout: timeout, isHeldBack: isHeldBack, onSilence: onSilence)
        idle.withLock { $0 = timer }
    }

    /// Until the next read it is the reader who takes his time, whatever the transport tells meanwhile.
    func pause() {
        isReaderBusy.store(true, ordering: .relaxed)
        idle.withLock { $0 }?.pause()
    }

    /// The reader waits for the network.
    func read() {
        isReaderBusy.store(false, ordering: .relaxed)
        touch()
    }

    /// Something came; while the caller's body or the reader is waited for, that sets no new limit.
    func touch() {
        guard !isBodyAwaited.load(ordering: .relaxed), !isReaderBusy.load(ordering: .relaxed) else { return }
        idle.withLock { $0 }?.touch()
    }

    /// After a suspension silence counts from its end.
    func restart() { idle.withLock { $0 }?.restart() }

    func stop() {
        let timer = idle.withLock { $0.take() }
        timer?.stop()
    }

    /// The transport's events; called by its callbacks, so it only stores and passes on.
    func receive(_ event: TransportEvent) {
        let idle = idle.withLock { $0 }
        switch event {
        case .queued: idle?.pause()
        case .awaitingBody:
            isBodyAwaited.store(true, ordering: .relaxed)
            idle?.pause()
        case .sentBody, .started:
            isBodyAwaited.store(false, ordering: .relaxed)
            touch()
        default: touch()
        }
        switch event {
        case .repeated:
            request.record.repeated()
            request.eventLog.send(.repeated)
        case .informational(let head): request.eventLog.send(.informational(head))
        case .sentBody(let bytes, let total):
            request.record.sentBytes(bytes)
            request.uploads.send(progress(bytes, of: total, moved: bytes, sendRate))
        case .receivedHead(let head): received(head)
        case .receivedBody(let bytes, let head): received(ReceivedBytes(count: bytes), of: head)
        case .metrics(let metrics): request.record.measured(metrics)
        case .queued, .started, .awaitingBody, .trailers: break
        }
    }

    /// The head of the final response; one that only leads elsewhere is not it.
    func received(_ head: HTTPResponseHead) {
        guard !follows(head), request.record.received(head) else { return }
        request.eventLog.send(.response(head))
    }

    func received(_ bytes: ReceivedBytes, of head: HTTPResponseHead) {
        guard !follows(head) else { return }
        request.record.receivedBytes(bytes.count)
        let total = bytes.total ?? Self.expectedBytes(head).map { $0 + bytes.offset }
        request.downloads.send(progress(bytes.count + bytes.offset, of: total, moved: bytes.count, receiveRate))
    }

    /// The body has ended, so its length is known whatever was announced.
    func receivedAll(_ bytes: Int64, after offset: Int64 = 0) {
        request.record.receivedBytes(bytes)
        request.downloads.send(progress(bytes + offset, of: bytes + offset, moved: bytes, receiveRate))
    }

    /// The body's length, unless its encoding makes `Content-Length` say something else.
    private static func expectedBytes(_ head: HTTPResponseHead) -> Int64? {
        head.value(for: "Content-Encoding") == nil ? head.contentLength : nil
    }

    /// - Parameter moved: What counts for the rate.
    private func progress(_ bytes: Int64, of total: Int64?, moved: Int64, _ rate: borrowing Locked<RateEstimate>)
        -> TransferProgress
    {
        let elapsed = request.record.elapsed
        let bytesPerSecond = rate.withLock { rate in
            rate.update(moved, at: elapsed)
            return rate.bytesPerSecond
        }
        return TransferProgress(completedBytes: bytes, totalBytes: total, bytesPerSecond: bytesPerSecond)
    }
}
