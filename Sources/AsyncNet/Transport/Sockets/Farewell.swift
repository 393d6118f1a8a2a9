/// Closes a connection so that its peer receives all that was sent. Used under its loop's lock only.
///
/// A socket that is closed with unread bytes resets the connection, and the peer may then drop what it has not read. So the peer
/// is told that no more follows, and what it sends before it closes its side is received and dropped, for a limited time.
final class Farewell: LoopHandler {
    private let stream: SocketStream
    private let end: () -> Void
    private let deadline: ContinuousClock.Instant
    private var timer: LoopTimers.ID?
    /// Whether the socket has been told that nothing follows.
    private var isFinished = false
    /// Whether the program waits for the end of this connection.
    private var isUrgent = false

    /// How long the peer has to close its side, in which the program does not wait any more.
    private static let time = Duration.seconds(1)
    /// How often it is looked at whether the peer's system has all bytes, where the program waits.
    private static let interval = Duration.milliseconds(10)
    private static let readsPerTurn = 16

    /// - Parameter end: Called once, not from within `init`; the owner then calls `stop`.
    init(_ stream: SocketStream, end: @escaping () -> Void) {
        self.stream = stream
        self.end = end
        deadline = stream.thread.now + Self.time
    }

    private var thread: LoopThread { stream.thread }

    func start() {
        do throws(AsyncNetError) {
            try stream.finishSending()
            try stream.watch(self)
        } catch {
            return end()
        }
        schedule(after: Self.time)
        goOn()
    }

    /// Ends as soon as the peer's system has all bytes.
    func hurry() {
        isUrgent = true
        goOn()
    }

    func stop() {
        if let timer = timer.take() { thread.cancel(timer) }
        stream.unwatch()
    }

    private func goOn() { if case .more = step() { stream.requeue() } }

    private func schedule(after delay: Duration) {
        if let timer { thread.cancel(timer) }
        timer = thread.schedule(after: delay) { [weak self] in
            guard let self else { return }
            timer = nil
            if thread.now >= deadline { end() } else { goOn() }
        }
    }

    func turn(_ readiness: Readiness, _ thread: LoopThread) -> Turn {
        if readiness.contains(.writable) { stream.becameWritable() }
        return step()
    }

    private func step() -> Turn {
        if !isFinished, (try? stream.flush()) != false {
            isFinished = true
            stream.shutDownSending()
        }
        for _ in 0..<Self.readsPerTurn {
            switch stream.discard(thread.receiveBuffer) {
            case .bytes: continue
            case .wouldBlock: return rest()
            case .end:
                end()
                return .done
            }
        }
        return .more
    }

    /// Waits for more, unless that is needless.
    private func rest() -> Turn {
        if isUrgent, isFinished, stream.isAcknowledged {
            end()
            return .done
        }
        if isUrgent { schedule(after: min(deadline - thread.now, Self.interval)) }
        stream.updateWatch()
        return .done
    }
}
