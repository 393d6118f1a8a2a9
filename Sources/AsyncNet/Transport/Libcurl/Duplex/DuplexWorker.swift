import CLibcurl
import Foundation

/// What the thread of a duplex loop does: it opens connections, receives where there is room, sends what is to be sent, and
/// closes.
///
/// A round is: run the commands, let libcurl connect, serve the sockets that are ready; then wait until a socket, a
/// command or a time limit needs the thread. libcurl takes part in the wait only while a connection is being opened: an open
/// connection is received from and sent to through it, and otherwise costs the thread a socket to wait for.
final class DuplexWorker {
    /// What the thread needs from the system, made where an error can be thrown.
    struct Parts: @unchecked Sendable {
        // Unchecked: handed over to the thread as a whole, before which nothing uses it.
        let multi: OpaquePointer
        let bell: Bell

        init?() {
            guard let bell = Bell() else { return nil }
            guard let multi = lc_multi_new_connecting() else {
                bell.close()
                return nil
            }
            (self.multi, self.bell) = (multi, bell)
        }
    }

    private let loop: DuplexLoop
    private let multi: OpaquePointer
    private let bell: Bell
    private let connections = LoopConnections()
    private var handles: [Int: DuplexHandle] = [:]
    /// The connections that are being opened.
    private var connecting: Set<Int> = []
    /// Connections that are closed when they have sent their data, with the time when they are closed anyway.
    private var lingering: [Int: ContinuousClock.Instant] = [:]
    private var waiters: [lc_waiter] = []
    private var waiting: [DuplexHandle] = []

    init(_ loop: DuplexLoop, _ parts: Parts) { (self.loop, multi, bell) = (loop, parts.multi, parts.bell) }

    func run() {
        blockSignals()
        while true {
            let (commands, isClosing) = loop.takeCommands()
            for command in commands { execute(command) }
            if isClosing {
                for id in handles.keys { close(id, AsyncNetError(.sessionFinished, "The transport is shut down")) }
                if end() { return }
            }
            finishConnecting()
            wait()
        }
    }

    /// Signals belong to the program's own threads.
    private func blockSignals() {
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
    }

    private func end() -> Bool {
        guard loop.end() else { return false }
        lc_multi_free(multi)
        lc_thread_ends()
        return true
    }

    private func execute(_ command: DuplexLoop.Command) {
        switch command {
        case .open(let opening): open(opening)
        case .receive(let id): serve(id) { $0.receive() }
        case .send(let id): serve(id) { $0.takeOutgoing() }
        case .abort(let id, let error): close(id, error)
        }
    }

    // MARK: Opening

    private func open(_ opening: DuplexLoop.Opening) {
        do throws(AsyncNetError) {
            try connect(try DuplexHandle(opening, loop, connections))
        } catch {
            opening.opened.fulfil(.failure(error))
        }
    }

    private func connect(_ handle: DuplexHandle) throws(AsyncNetError) {
        guard lc_multi_add(multi, handle.easy.pointer) == 0 else {
            throw AsyncNetError(.transportFailed, "libcurl has no memory for another connection")
        }
        handles[handle.id] = handle
        connecting.insert(handle.id)
    }

    private func finishConnecting() {
        guard !connecting.isEmpty else { return }
        lc_multi_perform(multi)
        var result: Int32 = 0
        while let easy = lc_multi_next_done(multi, &result) {
            guard let handle = handles[Int(bitPattern: lc_private(easy))], connecting.remove(handle.id) != nil
            else { continue }
            switch handle.opens(result, loop, connections) {
            case .use: serve(handle.id) { $0.begin() }
            case .close: close(handle.id, nil)
            case .inspect(let next):
                lc_multi_remove(multi, handle.easy.pointer)
                do { try connect(next) } catch { close(handle.id, error) }
            }
        }
    }

    // MARK: Open connections

    private func wait() {
        waiters.removeAll(keepingCapacity: true)
        waiting.removeAll(keepingCapacity: true)
        waiters.append(lc_waiter(socket: bell.readEnd, wanted: Int16(LC_READABLE), ready: 0))
        for handle in handles.values where handle.isOpen {
            guard let waiter = handle.waiter else { continue }
            waiters.append(waiter)
            waiting.append(handle)
        }
        lc_wait(connecting.isEmpty ? nil : multi, &waiters, UInt32(waiters.count), time)
        if waiters[0].ready != 0 { bell.clear() }
        for (handle, waiter) in zip(waiting, waiters.dropFirst()) where waiter.ready != 0 {
            serve(handle.id) { $0.serve(waiter.ready) }
        }
        closeLate()
    }

    /// In milliseconds.
    private var time: Int32 {
        let connecting = connecting.isEmpty ? Int32(-1) : 1000
        guard let first = lingering.values.min() else { return connecting }
        let left = Int32(clamping: (first - .now).milliseconds + 1)
        return connecting < 0 ? left : min(left, connecting)
    }

    private func serve(_ id: Int, _ serve: (DuplexHandle) -> DuplexHandle.Outcome) {
        guard let handle = handles[id], handle.isOpen else { return }
        switch serve(handle) {
        case .goOn: break
        case .goOnSoon: loop.post(.receive(id))
        case .linger(let time): lingering[id] = min(lingering[id] ?? .now + time, .now + time)
        case .close(let error): close(id, error)
        }
    }

    private func closeLate() {
        guard !lingering.isEmpty else { return }
        let now = ContinuousClock.now
        for id in lingering.filter({ $0.value <= now }).keys {
            lingering[id] = nil
            serve(id) { $0.isLate() }
        }
    }

    /// Removing the handle from libcurl closes its connection.
    private func close(_ id: Int, _ error: AsyncNetError?) {
        lingering[id] = nil
        guard let handle = handles.removeValue(forKey: id) else { return }
        connecting.remove(id)
        handle.willClose()
        lc_multi_remove(multi, handle.easy.pointer)
        handle.closed(error)
    }
}
