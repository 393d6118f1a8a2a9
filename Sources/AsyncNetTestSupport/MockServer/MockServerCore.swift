import AsyncNet
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The server's threads and their shared state: one thread accepts connections, and each connection has one.
///
/// All threads block in `poll` on their socket and on a pipe, whose other end is closed to wake them. They hold the
/// core but not the public server, so that its deallocation can stop them.
final class MockServerCore: Sendable {
    let port: Int
    let listener: Socket
    private let stopWriter: Int32
    private let stopReader: Int32
    private let threads = DispatchGroup()
    /// Empty when all threads have ended and all descriptors are closed.
    private let closing = DispatchGroup()
    let state: Locked<State>

    struct State {
        var replies: [MockResponse] = []
        var received: ReceivedRequests
        var takers: [Int: CheckedContinuation<RecordedRequest?, Never>] = [:]
        var nextTaker = 0
        /// IDs of calls of `takeRequest` whose time limit passed before they began to wait.
        var dismissed: Set<Int> = []
        var isStopping = false
        var handlers: [Int: (task: PostedTask, pending: PendingResponse)] = [:]
        var nextHandler = 0
        var exchangeCount = 0
    }

    /// How many requests and connections the server has received.
    struct Traffic {
        var requests = 0
        var connections = 0
        var openConnections = 0
    }

    let traffic = AwaitedState(Traffic())
    let routes: RouteTable
    /// Starts routes' closures and scripts with the task-local values of the test that has started the server: so the
    /// issues that they record are the test's.
    var starter: Mailbox? { starters.withLock { $0 } }
    /// `nil` once the server stops, so that it does not keep the values.
    private let starters = Locked<Mailbox?>(Mailbox.withTaskLocals())
    /// The scripts of open WebSockets.
    let scripts = OwnedTasks()
    /// `nil` without TLS.
    let identity: TLSIdentity?

    let versions: MockServer.Versions
    let http2: HTTP2Connections

    /// `nil` without a profile.
    let network: (profile: NetworkProfile, link: ShapedLink)?

    /// - Parameter port: The port to listen on; 0 for one that the system chooses.
    init(
        _ interface: MockServer.Interface, port: UInt16 = 0, listens: Bool, keptRequests: Int, routes: Routes,
        identity: TLSIdentity?,
        profile: NetworkProfile?, versions: MockServer.Versions, http2: MockServer.HTTP2
    ) throws {
        (self.identity, self.versions, self.http2) = (identity, versions, HTTP2Connections(http2))
        network = profile.map { ($0, ShapedLink($0, ContinuousClock())) }
        self.routes = RouteTable(routes)
        state = Locked(State(received: ReceivedRequests(kept: keptRequests)))
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Socket.Failure("pipe") }
        // A child process with an open end would keep `stop()` waiting.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (stopReader, stopWriter) = (ends[0], ends[1])
        do {
            (listener, self.port) = try Socket.bind(interface, port: port, listens: listens, stop: ends[0])
        } catch {
            close(ends[0])
            close(ends[1])
            throw error
        }
        if listens { spawn { $0.acceptConnections() } }
    }

    var requests: [RecordedRequest] { state.withLock { $0.received.all } }
    var requestCount: Int { state.withLock { $0.received.count } }

    func enqueue(_ replies: [MockResponse]) { state.withLock { $0.replies += replies } }

    /// - Parameter others: The differences of a replayed recording.
    func verify(_ others: [String] = []) throws {
        let rest = state.withLock { $0.replies.count }
        let queued = rest == 0 ? [] : ["\(rest) enqueued response\(rest == 1 ? "" : "s"): not requested"]
        try routes.verify(queued + others)
    }

    // MARK: Stopping

    /// Wakes all threads, which then end. Only the first call has an effect.
    func beginToStop() {
        let ended = state.withLock {
            state -> (
                takers: [Int: CheckedContinuation<RecordedRequest?, Never>],
                handlers: [Int: (task: PostedTask, pending: PendingResponse)]
            )? in
            guard !state.isStopping else { return nil }
            state.isStopping = true
            defer { state.takers = [:] }
            return (state.takers, state.handlers)
        }
        guard let ended else { return }
        for taker in ended.takers.values { taker.resume(returning: nil) }
        scripts.cancel()
        starters.withLock { $0 = nil }
        for handler in ended.handlers.values { handler.pending.giveUp(handler.task) }
        close(stopWriter)
        closing.enter()
        threads.notify(queue: .global()) { [listener, stopReader, closing] in
            listener.close()
            close(stopReader)
            closing.leave()
        }
    }

    func stopped() async {
        await withCheckedContinuation { continuation in
            closing.notify(queue: .global()) { continuation.resume() }
        }
    }

    func spawn(_ body: @escaping @Sendable (MockServerCore) -> Void) {
        threads.enter()
        let thread = Thread { [self] in
            body(self)
            threads.leave()
        }
        thread.stackSize = 512 * 1024
        thread.start()
    }

    // MARK: Received requests

    func record(_ request: RecordedRequest) {
        let taker = state.withLock { state -> CheckedContinuation<RecordedRequest?, Never>? in
            state.received.append(request)
            guard let first = state.takers.keys.min() else { return nil }
            _ = state.received.take()
            return state.takers.removeValue(forKey: first)
        }
        // Outside the lock, since this resumes tasks whose cancellation handlers take the lock.
        traffic.change { $0.requests += 1 }
        taker?.resume(returning: request)
    }

    func takeRequest(within limit: Duration) async throws -> RecordedRequest {
        let id = state.withLock { state in
            state.nextTaker += 1
            return state.nextTaker
        }
        let timer = Task {
            try await Task.sleep(for: limit)
            dismissTaker(id)
        }
        defer {
            timer.cancel()
            state.withLock { _ = $0.dismissed.remove(id) }
        }
        let request = await withTaskCancellationHandler {
            await withCheckedContinuation { addTaker(id, $0) }
        } onCancel: {
            dismissTaker(id)
        }
        if let request { return request }
        try Task.checkCancellation()
        throw MockServer.Failure(description: "No request was received within \(limit), or the server stopped")
    }

    private func addTaker(_ id: Int, _ taker: CheckedContinuation<RecordedRequest?, Never>) {
        let (isDone, request) = state.withLock { state -> (Bool, RecordedRequest?) in
            if let request = state.received.take() { return (true, request) }
            if state.isStopping || Task.isCancelled || state.dismissed.remove(id) != nil { return (true, nil) }
            state.takers[id] = taker
            return (false, nil)
        }
        if isDone { taker.resume(returning: request) }
    }

    private func dismissTaker(_ id: Int) {
        let taker = state.withLock { state in
            let taker = state.takers.removeValue(forKey: id)
            if taker == nil { state.dismissed.insert(id) }
            return taker
        }
        taker?.resume(returning: nil)
    }
}
