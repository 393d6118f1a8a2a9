import AsyncNet
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The state that a ``FaultProxy`` shares with its thread. The thread holds this core but not the proxy, so that the
/// proxy's deallocation can stop the thread.
final class ProxyCore: Sendable {
    private struct State {
        var faults: FaultTable
        var isStopping = false
        var connectionCount = 0
        var openConnectionCount = 0
        /// Callers that wait until the thread has acted on their change.
        var waiting: [DispatchSemaphore] = []
        /// Whether the thread has ended, and the pipe is closed.
        var isEnded = false
    }

    let target: ProxyTarget
    let port: Int
    let seed: UInt64
    /// The pipe whose bytes wake the thread.
    let wakeReader: Int32
    private let wakeWriter: Int32
    private let state: Locked<State>
    /// The number of bytes that faults have dropped.
    let dropped = AwaitedState(0)
    private let thread = DispatchGroup()

    init(_ target: ProxyTarget, on interface: MockServer.Interface, seed: UInt64) throws {
        (self.target, self.seed) = (target, seed)
        state = Locked(State(faults: FaultTable(seed: seed)))
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Socket.Failure("pipe") }
        (wakeReader, wakeWriter) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        do {
            let place = try ProxyPlace(interface)
            port = place.port
            run(place)
        } catch {
            ends.forEach { close($0) }
            throw error
        }
    }

    private func run(_ place: ProxyPlace) {
        thread.enter()
        let thread = Thread { [self] in
            var loop = ProxyLoop(self, place)
            loop.run()
            end()
            self.thread.leave()
        }
        thread.stackSize = 512 * 1024
        thread.start()
    }

    // MARK: For the public proxy

    var connectionCount: Int { state.withLock { $0.connectionCount } }
    var openConnectionCount: Int { state.withLock { $0.openConnectionCount } }

    /// Changes the faults. If that opens or closes the port, returns when it is open or closed.
    func change<Result: Sendable>(_ change: (inout FaultTable) -> Result) -> Result {
        let (result, acted) = state.withLock { state in
            let wasDown = state.faults.isDown
            let result = change(&state.faults)
            guard state.faults.isDown != wasDown, !state.isEnded else { return (result, DispatchSemaphore?.none) }
            let acted = DispatchSemaphore(value: 0)
            state.waiting.append(acted)
            return (result, acted)
        }
        wake()
        acted?.wait()
        return result
    }

    func beginToStop() {
        state.withLock { $0.isStopping = true }
        wake()
    }

    func stopped() async {
        await withCheckedContinuation { continuation in
            thread.notify(queue: .global()) { continuation.resume() }
        }
    }

    private func wake() {
        state.withLock { state in
            // A full pipe wakes the thread too.
            if !state.isEnded { _ = write(wakeWriter, [1], 1) }
        }
    }

    // MARK: For the thread

    /// What the thread is to do. It reads this after each wait, so that a fault is in effect for all bytes that were
    /// sent after the fault was added.
    var orders: (faults: FaultTable, isStopping: Bool) { state.withLock { ($0.faults, $0.isStopping) } }

    /// Wakes the callers of `change` once the port is open or closed as the latest faults require.
    func acted(on faults: FaultTable) {
        let waiting = state.withLock { state -> [DispatchSemaphore] in
            guard state.faults.isDown == faults.isDown else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for semaphore in waiting { semaphore.signal() }
    }

    /// - Returns: The number of the new connection.
    func countConnection() -> Int {
        state.withLock { state in
            state.connectionCount += 1
            state.openConnectionCount += 1
            return state.connectionCount
        }
    }

    func countEnd() { state.withLock { $0.openConnectionCount -= 1 } }

    private func end() {
        let waiting = state.withLock { state in
            state.isEnded = true
            close(wakeReader)
            close(wakeWriter)
            defer { state.waiting = [] }
            return state.waiting
        }
        for semaphore in waiting { semaphore.signal() }
    }
}

/// The port of a proxy, which stays reserved while the proxy does not listen.
struct ProxyPlace {
    let port: Int
    private let interface: MockServer.Interface
    /// Bound to the port, to keep it while `listener` is closed; never listens.
    private let holder: Socket
    private(set) var listener: Socket?

    init(_ interface: MockServer.Interface) throws {
        self.interface = interface
        (holder, port) = try Socket.bind(interface, listens: false, isShared: true, stop: -1)
        do { try open() } catch {
            holder.close()
            throw error
        }
    }

    mutating func open() throws {
        guard listener == nil else { return }
        let number = UInt16(truncatingIfNeeded: port)
        let socket = try Socket.bind(interface, port: number, listens: true, isShared: true, stop: -1).socket
        socket.stopWaiting()
        listener = socket
    }

    mutating func close() {
        listener?.close()
        listener = nil
    }

    mutating func end() {
        close()
        holder.close()
    }
}
