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
    private let listener: Socket
    private let stopWriter: Int32
    private let stopReader: Int32
    private let threads = DispatchGroup()
    /// Empty when all threads have ended and all descriptors are closed.
    private let closing = DispatchGroup()
    private let state: Locked<State>

    private struct State {
        var replies: [MockResponse] = []
        var received: ReceivedRequests
        var takers: [Int: CheckedContinuation<RecordedRequest?, Never>] = [:]
        var nextTaker = 0
        /// IDs of calls of `takeRequest` whose time limit passed before they began to wait.
        var dismissed: Set<Int> = []
        var requestCount = 0
        var connectionCount = 0
        var openConnectionCount = 0
        var isStopping = false
        var handlers: [Int: (task: Task<Void, Never>, pending: PendingResponse)] = [:]
        var nextHandler = 0
        var exchangeCount = 0
    }

    let routes: RouteTable
    /// The scripts of open WebSockets.
    let scripts = OwnedTasks()
    /// `nil` without TLS.
    let identity: TLSIdentity?

    /// `nil` without a profile.
    private let network: (profile: NetworkProfile, link: ShapedLink)?

    /// - Parameter port: The port to listen on; 0 for one that the system chooses.
    init(
        ipv6: Bool, port: UInt16 = 0, listens: Bool, keptRequests: Int, routes: Routes, identity: TLSIdentity?,
        profile: NetworkProfile?
    ) throws {
        self.identity = identity
        network = profile.map { ($0, ShapedLink($0, ContinuousClock())) }
        self.routes = RouteTable(routes)
        state = Locked(State(received: ReceivedRequests(kept: keptRequests)))
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Socket.Failure("pipe") }
        (stopReader, stopWriter) = (ends[0], ends[1])
        do {
            (listener, self.port) = try Socket.bind(ipv6: ipv6, port: port, listens: listens, stop: ends[0])
        } catch {
            close(ends[0])
            close(ends[1])
            throw error
        }
        if listens { spawn { $0.acceptConnections() } }
    }

    var requests: [RecordedRequest] { state.withLock { $0.received.all } }
    var requestCount: Int { state.withLock { $0.requestCount } }
    var connectionCount: Int { state.withLock { $0.connectionCount } }
    var openConnectionCount: Int { state.withLock { $0.openConnectionCount } }

    func enqueue(_ replies: [MockResponse]) { state.withLock { $0.replies += replies } }

    /// - Parameter others: More differences.
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
                handlers: [Int: (task: Task<Void, Never>, pending: PendingResponse)]
            )? in
            guard !state.isStopping else { return nil }
            state.isStopping = true
            defer { state.takers = [:] }
            return (state.takers, state.handlers)
        }
        guard let ended else { return }
        for taker in ended.takers.values { taker.resume(returning: nil) }
        scripts.cancel()
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

    private func spawn(_ body: @escaping @Sendable (MockServerCore) -> Void) {
        threads.enter()
        let thread = Thread { [self] in
            body(self)
            threads.leave()
        }
        thread.stackSize = 512 * 1024
        thread.start()
    }

    // MARK: Serving

    private func acceptConnections() {
        while let socket = nextConnection() {
            let number = state.withLock { state in
                state.connectionCount += 1
                state.openConnectionCount += 1
                return state.connectionCount
            }
            spawn { core in
                core.serve(socket, number)
                core.state.withLock { $0.openConnectionCount -= 1 }
            }
        }
    }

    /// The next connection; `nil` once the server stops. Errors, such as too many open files, are retried.
    private func nextConnection() -> Socket? {
        while !state.withLock({ $0.isStopping }) {
            do {
                return try listener.accept()
            } catch is Socket.Stopped {
                return nil
            } catch {
                Thread.sleep(forTimeInterval: 0.01)
            }
        }
        return nil
    }

    private func serve(_ socket: Socket, _ number: Int) {
        if takeRefusal() { return socket.reset() }
        let tls = identity?.makeSession()
        guard identity == nil || tls != nil else { return socket.close() }
        var connection = MockConnection(socket: ServerStream(socket, tls, network?.link), number: number)
        do {
            try connection.socket.begin()
            while let head = try connection.readHead() {
                switch try respond(to: head, &connection) {
                case .keepAlive:
                    guard head.headers["Connection"]?.lowercased() == "close" else { continue }
                    connection.socket.finishWriting()
                    return connection.socket.close()
                case .close:
                    connection.socket.finishWriting()
                    try connection.drain()
                    return connection.socket.close()
                case .reset: return connection.socket.reset()
                }
            }
        } catch is MockConnection.Malformed {
            connection.refuse()
        } catch {
            // The client closed the connection, or the server stops.
        }
        connection.socket.close()
    }

    private func respond(to head: MockConnection.Head, _ connection: inout MockConnection) throws -> MockReplyWriter.End
    {
        let writer = MockReplyWriter(socket: connection.socket, method: head.method)
        let next = state.withLock { $0.replies.isEmpty ? nil : $0.replies.removeFirst() }
        let isEarly = next?.fault == .earlyResponse
        var request = RecordedRequest(
            method: HTTPMethod(rawValue: head.method), target: head.target, headers: head.headers,
            body: isEarly ? Data() : try connection.readBody(of: head), connection: connection.number,
            httpVersion: head.version)
        let found = next.map { .reply($0, [:]) } ?? routes.take(request.method, request.path)
        if case .handler(_, let parameters) = found { request.parameters = parameters }
        if case .reply(_, let parameters) = found { request.parameters = parameters }
        record(request)
        let reply = try reply(to: request, found, connection.socket)
        if try isLost(connection.socket) { return .reset }
        if let upgrade = reply.upgrade { return try self.upgrade(reply, upgrade, request, &connection) }
        return try writer.write(reply)
    }

    /// Waits for the network's latency, and decides whether the network loses the connection.
    private func isLost(_ socket: ServerStream) throws -> Bool {
        guard let network else { return false }
        let number = state.withLock { state in
            state.exchangeCount += 1
            return state.exchangeCount
        }
        let chance = ExchangeChance(network.profile, number: number)
        if chance.latency > .zero { try socket.pause(chance.latency) }
        return chance.isLost
    }

    private func takeRefusal() -> Bool {
        state.withLock { state in
            guard state.replies.first?.fault == .refuse else { return false }
            state.replies.removeFirst()
            return true
        }
    }

    private func reply(
        to request: RecordedRequest, _ found: RouteTable.Found, _ socket: ServerStream
    ) throws -> MockResponse {
        switch found {
        case .reply(let reply, _): reply
        case .handler(let handler, _): try result(of: handler, request, socket)
        case .otherMethods(let methods): routes.refuse(request, methods)
        case .none: routes.refuse(request, [])
        }
    }

    /// Blocks this connection's own thread until the route's async closure returns, which is cancelled if the client
    /// disconnects.
    private func result(
        of handler: @escaping Routes.Handler, _ request: RecordedRequest, _ socket: ServerStream
    ) throws -> MockResponse {
        let pending = PendingResponse()
        let task = Task {
            do {
                pending.set(try await handler(request))
            } catch {
                pending.set(.status(500, body: "The route's closure threw \(error)\n"))
            }
        }
        let id = begin(task, pending)
        let response: MockResponse
        do { response = try pending.wait(watching: socket) } catch {
            task.cancel()
            state.withLock { $0.handlers[id] = nil }
            throw error
        }
        let isStopping = state.withLock { state in
            state.handlers[id] = nil
            return state.isStopping
        }
        if isStopping { throw Socket.Stopped() }
        return response
    }

    /// If the server stops, handlers are cancelled and their results are not awaited, so that their threads can end.
    private func begin(_ task: Task<Void, Never>, _ pending: PendingResponse) -> Int {
        let (id, isStopping) = state.withLock { state in
            state.nextHandler += 1
            state.handlers[state.nextHandler] = (task, pending)
            return (state.nextHandler, state.isStopping)
        }
        if isStopping { pending.giveUp(task) }
        return id
    }

    private final class PendingResponse: Sendable {
        private let value = Locked(MockResponse(500))
        private let isSet = DispatchSemaphore(value: 0)

        func set(_ response: MockResponse) {
            value.withLock { $0 = response }
            isSet.signal()
        }

        func giveUp(_ task: Task<Void, Never>) {
            task.cancel()
            isSet.signal()
        }

        /// - Throws: If the client disconnects first, which is noticed at most 20 ms late. A wait that ends by itself
        ///   would need two descriptors for each waiting connection, and tests have few.
        func wait(watching socket: ServerStream) throws -> MockResponse {
            while isSet.wait(timeout: .now() + .milliseconds(20)) == .timedOut { try socket.pause(.zero) }
            return value.withLock { $0 }
        }
    }

    // MARK: What was received

    private func record(_ request: RecordedRequest) {
        let taker = state.withLock { state -> CheckedContinuation<RecordedRequest?, Never>? in
            state.requestCount += 1
            state.received.append(request)
            guard let first = state.takers.keys.min() else { return nil }
            _ = state.received.take()
            return state.takers.removeValue(forKey: first)
        }
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
