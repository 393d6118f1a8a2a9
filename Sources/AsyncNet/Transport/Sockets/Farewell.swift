/// Closes a connection so that its peer receives all that was sent. Used only under its loop's lock.
///
/// Closing a socket with unread bytes resets the connection, and the peer may then drop what it has not read. So this
/// type tells the peer that no more bytes follow, and drops what the peer sends until it closes its side, for a limited
/// time.
final class Farewell: LoopHandler {
    private let stream: SocketStream
    private let end: () -> Void
    private let deadline: ContinuousClock.Instant
    private var timer: LoopTimers.ID?
    private var isFinished = false
    private var isUrgent = false

    /// How long the peer has to close its side.
    private static let time = Duration.seconds(1)
    /// How often a transport that shuts down looks whether the peer has acknowledged all bytes.
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

    func hurry() {
        isUrgent = true
        goOn()
    }

    func stop() {
        thread.cancel(&timer)
        stream.unwatch()
    }

    private func goOn() { if case .more = step() { stream.requeue() } }

    private func schedule(after delay: Duration) {
        thread.cancel(&timer)
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
            switch stream.discard() {
            case .bytes: continue
            case .wouldBlock: return rest()
            case .end:
                end()
                return .done
            }
        }
        return .more
    }

    private func rest() -> Turn {
        if isUrgent, isFinished, stream.unacknowledged == 0 {
            end()
            return .done
        }
        if isUrgent { schedule(after: min(deadline - thread.now, Self.interval)) }
        stream.updateWatch()
        return .done
    }
}
