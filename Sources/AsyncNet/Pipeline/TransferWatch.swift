import Synchronization

/// Reports what happens in a run's transfers to the record, the observers, and the timer that notices silence.
final class TransferWatch: Sendable {
    let record: TransferRecord
    private let observers: RequestObservers?
    let events: (any EventTarget)?
    let role: RunRole
    /// The hop that runs; `nil` between hops, and if nobody observes.
    let running = Locked<RunningHop?>(nil)
    /// What the cache did for the hop that begins next.
    let pendingOutcome = Locked<CacheOutcome?>(nil)
    private let hold: TransferHold
    private let policies: RunPolicies
    /// Whether the response is delivered even if it is a redirect that would be followed.
    private let isFinal = Atomic(false)
    /// The timer that notices silence, and what silence ends; `nil` between attempts.
    private let silence = Locked<(timer: IdleTimer, handler: SilenceHandler)?>(nil)
    /// The attempt's transfers, during which a supervised clock must not move; `nil` with other clocks.
    let supervised = Locked<SupervisedTransfer?>(nil)
    /// Whether the transport waits for bytes of the request's body, not for the server.
    private let isBodyAwaited = Atomic(false)
    /// Whether the transfer waits for the reader of the response's body, not for the server.
    private let isReaderBusy = Atomic(false)
    private let sendRate = Locked(RateEstimate())
    private let receiveRate = Locked(RateEstimate())

    init(
        _ record: TransferRecord, _ observers: RequestObservers?, _ hold: TransferHold, _ policies: RunPolicies,
        _ events: (any EventTarget)?, _ role: RunRole
    ) {
        (self.record, self.observers, self.hold, self.policies) = (record, observers, hold, policies)
        (self.events, self.role) = (events, role)
    }

    /// Counts the server's silence until `stop()`, except while the request is suspended or the transfer does not wait
    /// for the server. If the attempt has sent a hop before, the count goes on.
    func begin(_ timers: TimerQueue, timeout: Duration, _ handler: SilenceHandler) {
        isFinal.store(false, ordering: .relaxed)
        guard silence.withLock({ $0 == nil }) else { return read() }
        isBodyAwaited.store(false, ordering: .relaxed)
        isReaderBusy.store(false, ordering: .relaxed)
        // A retain cycle until `stop()`: timer → watch → timer.
        let timer = IdleTimer(timers, timeout: timeout, watching: self)
        if let clock = timers.time.supervisor { supervised.withLock { $0 = SupervisedTransfer(clock) } }
        silence.withLock { $0 = (timer, handler) }
        timer.start()
    }

    func stop() {
        let ended = silence.withLock { $0.take() }
        ended?.timer.stop()
        supervised.withLock { $0.take() }?.end()
    }

    /// Stops counting silence until `read()`, whatever the transport reports meanwhile: the transfer waits for the
    /// reader.
    func pause() {
        isReaderBusy.store(true, ordering: .relaxed)
        silence.withLock { $0?.timer.pause() }
    }

    func read() {
        isReaderBusy.store(false, ordering: .relaxed)
        touch()
    }

    /// Counts silence from now on, unless the transfer does not wait for the server.
    func touch() {
        guard !isBodyAwaited.load(ordering: .relaxed), !isReaderBusy.load(ordering: .relaxed) else { return }
        silence.withLock { $0?.timer.touch() }
    }

    /// Counts silence from the end of a suspension.
    func restart() { silence.withLock { $0?.timer.restart() } }

    /// Stores an event and passes it on; called on the transport's threads.
    func receive(_ event: TransportEvent) {
        updateSilence(event)
        switch event {
        case .repeated:
            record.repeated()
            runningHop?.repeated()
            send(.repeated)
        case .sentHead(let head): send(.sent(head))
        case .informational(let head): send(.informational(head))
        case .connected(let connection): connected(connection)
        case .sentBody(let bytes, let total): sent(bytes, of: total)
        case .receivedHead(let head):
            record.hopReceived(head)
            hopReceived(head)
            received(head)
        case .receivedBody(let bytes, let head): received(ReceivedBytes(count: bytes), of: head)
        case .metrics(let metrics):
            record.measured(metrics)
            measured(metrics)
        case .trailers(let headers): record.received(trailers: headers)
        case .queued: if let event = runningHop?.waits(true) { send(event) }
        case .started: if let event = runningHop?.waits(false) { send(event) }
        case .awaitingBody: break
        }
    }

    private func updateSilence(_ event: TransportEvent) {
        switch event {
        case .queued: silence.withLock { $0?.timer.pause() }
        case .awaitingBody:
            isBodyAwaited.store(true, ordering: .relaxed)
            silence.withLock { $0?.timer.pause() }
        case .sentBody, .started:
            isBodyAwaited.store(false, ordering: .relaxed)
            touch()
        // Transports report these events only to observers: if these counted, an observed request would time out later.
        case .connected, .sentHead: break
        default: touch()
        }
    }

    /// Reports a response that is delivered, whatever its status.
    func receivedFinal(_ head: HTTPResponseHead) {
        isFinal.store(true, ordering: .relaxed)
        received(head)
    }

    private func received(_ head: HTTPResponseHead) {
        guard !isFollowed(head), record.received(head), role != .transfer else { return }
        send(.response(head))
    }

    func received(_ bytes: ReceivedBytes, of head: HTTPResponseHead) {
        guard !isFollowed(head) else { return }
        let before = record.received(bytes)
        // The transport counts bytes when they arrive, and the reader counts them again when it takes them.
        if let hop = runningHop, hop.received(bytes.count), hop.interests.bodyBytes {
            send(.receivedBody(bytes: bytes.count))
        }
        guard let observers, observers.isOwnObserved else { return }
        let rate = rate(bytes.count, after: before, receiveRate)
        observers.send(
            download: TransferProgress(
                completedBytes: bytes.completed, totalBytes: bytes.total(of: head), bytesPerSecond: rate))
    }

    /// Reports the end of a body, whose length is now known even if its head did not have it.
    func receivedAll(_ count: Int64, after offset: Int64 = 0) {
        let before = record.received(ReceivedBytes(count: count, offset: offset, total: count + offset))
        guard let observers, observers.isOwnObserved else { return }
        let rate = rate(count, after: before, receiveRate)
        observers.send(
            download: TransferProgress(
                completedBytes: count + offset, totalBytes: count + offset, bytesPerSecond: rate))
    }

    private func sent(_ bytes: Int64, of total: Int64?) {
        let before = record.sentBytes(bytes, of: total)
        if let hop = runningHop {
            hop.sent(bytes)
            if hop.interests.bodyBytes { send(.sentBody(bytes: bytes, total: total)) }
        }
        guard let observers, observers.isOwnObserved else { return }
        let rate = rate(bytes, after: before, sendRate)
        observers.send(upload: TransferProgress(completedBytes: bytes, totalBytes: total, bytesPerSecond: rate))
    }

    private func isFollowed(_ head: HTTPResponseHead) -> Bool {
        300..<400 ~= head.statusCode && !isFinal.load(ordering: .relaxed) && policies.redirects.follows(head)
    }

    /// The rate after this many bytes. It is computed only while there is an observer, and begins with the average.
    private func rate(_ moved: Int64, after before: Int64, _ estimate: borrowing Locked<RateEstimate>) -> Double {
        let elapsed = record.elapsed
        return estimate.withLock { rate in
            if rate.isNew, before > 0 { rate.begin(at: moved, elapsed) } else { rate.update(moved, at: elapsed) }
            return rate.bytesPerSecond
        }
    }
}

/// What silence ends: the attempt, if it runs in a task of its own, or the request.
enum SilenceHandler: Sendable {
    case attempt(AttemptTask)
    case request(RequestRun)

    func end(after timeout: Duration) {
        let error = AsyncNetError(
            .timedOut,
            "The request made no progress for its timeout of \(timeout): no byte of a body and no whole head was sent "
                + "or received")
        switch self {
        case .attempt(let task): task.fail(error)
        case .request(let run): run.fail(error)
        }
    }
}

extension TransferWatch: IdleWatched {
    var isHeldBack: Bool {
        hold.isHeld || isReaderBusy.load(ordering: .relaxed) || isBodyAwaited.load(ordering: .relaxed)
    }

    /// The timer of an attempt that has ended meanwhile must not end the next attempt.
    func wasIdle(_ timer: IdleTimer, for timeout: Duration) {
        let handler = silence.withLock { $0?.timer === timer ? $0?.handler : nil }
        handler?.end(after: timeout)
    }
}
