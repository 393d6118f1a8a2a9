import CLibcurl
import Foundation

/// What the thread of a duplex loop does: it opens connections, receives where there is room, sends what is to be sent, and
/// closes.
///
/// A round is: run the commands, let libcurl connect, serve the sockets that are ready; then wait until a socket, a
/// command or a time limit needs the thread. libcurl takes part in the wait only while a connection is being opened: an open
/// connection costs the thread a socket to wait for. With TLS or a proxy its bytes pass through libcurl; otherwise libcurl has
/// nothing more to do with it.
final class DuplexWorker {
    private let loop: DuplexLoop
    private let bell: Bell
    /// Multi handles without a connection, for the next ones.
    private var spares: [OpaquePointer] = []
    private static let mostSpares = 4
    private let connections = LoopConnections()
    private var handles: [Int: DuplexHandle] = [:]
    /// The connections that are being opened.
    private var connecting: Set<Int> = []
    /// Connections that are closed when they have sent their data, with the time when they are closed anyway.
    private var lingering: [Int: ContinuousClock.Instant] = [:]
    private var waiters: [lc_waiter] = []
    private var waiting: [DuplexHandle] = []

    init(_ loop: DuplexLoop, _ bell: Bell) { (self.loop, self.bell) = (loop, bell) }

    func run() {
        blockSignals()
        while true {
            let (commands, isClosing) = loop.takeCommands()
            for command in commands { execute(command) }
            if isClosing {
                shutDown()
                if handles.isEmpty, end() { return }
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

    /// Closes all connections but those that the program has closed: their peers get the bytes that are under way.
    private func shutDown() {
        for (id, handle) in handles {
            if handle.isLeaving {
                serve(id) { $0.leaveSoon() }
            } else {
                close(id, AsyncNetError(.sessionFinished, "The transport is shut down"))
            }
        }
    }

    private func end() -> Bool {
        guard loop.end() else { return false }
        for multi in spares { lc_multi_free(multi) }
        lc_thread_ends()
        return true
    }

    private func execute(_ command: DuplexLoop.Command) {
        switch command {
        case .open(let opening): open(opening)
        case .receive(let id): serve(id) { $0.receive() }
        case .send(let id): serve(id) { $0.takeOutgoing() }
        case .abort(let id, let error): if handles[id]?.isLeaving != true { close(id, error) }
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
        guard let multi = spares.popLast() ?? lc_multi_new_connecting() else { throw Self.noMemory }
        guard lc_multi_add(multi, handle.easy.pointer) == 0 else {
            lc_multi_free(multi)
            throw Self.noMemory
        }
        handle.multi = multi
        handles[handle.id] = handle
        connecting.insert(handle.id)
    }

    private static var noMemory: AsyncNetError {
        AsyncNetError(.transportFailed, "libcurl has no memory or descriptors for another connection")
    }

    private func finishConnecting() {
        for id in connecting {
            guard let handle = handles[id], let multi = handle.multi else { continue }
            lc_multi_perform(multi)
            var result: Int32 = 0
            if lc_multi_next_done(multi, &result) != nil { connected(handle, result) }
        }
    }

    private func connected(_ handle: DuplexHandle, _ result: Int32) {
        connecting.remove(handle.id)
        switch handle.opens(result, loop, connections) {
        case .use:
            if handle.isDirect { release(handle) }
            serve(handle.id) { $0.begin() }
        case .close: close(handle.id, nil)
        case .inspect(let next, let failure):
            release(handle)
            do { try connect(next) } catch { close(handle.id, failure) }
        }
    }

    /// Removing the handle from libcurl closes its connection.
    private func release(_ handle: DuplexHandle) {
        guard let multi = handle.multi else { return }
        handle.multi = nil
        lc_multi_remove(multi, handle.easy.pointer)
        if spares.count < Self.mostSpares { spares.append(multi) } else { lc_multi_free(multi) }
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
        lc_wait(connecting.first.flatMap { handles[$0]?.multi }, &waiters, UInt32(waiters.count), time)
        if waiters[0].ready != 0 { bell.clear() }
        for (handle, waiter) in zip(waiting, waiters.dropFirst()) where waiter.ready != 0 {
            serve(handle.id) { $0.serve(waiter.ready) }
        }
        closeLate()
    }

    /// In milliseconds. libcurl waits for one of the connections that are being opened; the others are looked at often.
    private var time: Int32 {
        let connecting = connecting.isEmpty ? Int32(-1) : connecting.count == 1 ? 1000 : 5
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
            serve(id) { $0.endLingering() }
        }
    }

    private func close(_ id: Int, _ error: AsyncNetError?) {
        lingering[id] = nil
        guard let handle = handles.removeValue(forKey: id) else { return }
        connecting.remove(id)
        handle.willClose()
        release(handle)
        handle.closed(error)
    }
}
