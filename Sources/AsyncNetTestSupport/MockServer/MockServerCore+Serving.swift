import AsyncNet
import Foundation

/// The work of the threads that accept and serve connections.
extension MockServerCore {
    func acceptConnections() {
        while let socket = nextConnection() {
            let number = traffic.change { traffic in
                traffic.connections += 1
                traffic.openConnections += 1
                return traffic.connections
            }
            spawn { core in
                core.serve(socket, number)
                core.traffic.change { $0.openConnections -= 1 }
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
            if try versions == .http2 || versions == .both && connection.startsHTTP2() {
                var http2 = try MockHTTP2Connection(self, connection)
                return try close(connection, try http2.run(connection.takeRest()))
            }
            while let head = try connection.readHead() {
                switch try respond(to: head, &connection) {
                case .keepAlive:
                    guard head.closesConnection else { continue }
                    connection.socket.finishWriting()
                    return connection.socket.close()
                case let end: return try close(connection, end)
                }
            }
        } catch is MockConnection.Malformed {
            connection.refuse()
        } catch {
            // The client closed the connection, or the server stops.
        }
        connection.socket.close()
    }

    private func close(_ connection: MockConnection, _ end: MockReplyWriter.End) throws {
        if end == .reset { return connection.socket.reset() }
        connection.socket.finishWriting()
        try connection.drain()
        connection.socket.close()
    }

    private func respond(to head: MockConnection.Head, _ connection: inout MockConnection) throws -> MockReplyWriter.End
    {
        let writer = MockReplyWriter(socket: connection.socket, method: head.method)
        var request = RecordedRequest(
            method: HTTPMethod(rawValue: head.method), target: head.target, headers: head.headers, body: Data(),
            connection: connection.number, httpVersion: head.version)
        let reserved = reserve(for: request)
        if reserved?.isEarly != true { request.body = try connection.readBody(of: head) }
        let found = receive(&request, reserved)
        let reply = try reply(to: request, found, connection.socket)
        if try isLost(connection.socket) { return .reset }
        if let upgrade = reply.upgrade { return try self.upgrade(reply, upgrade, request, &connection) }
        return try writer.write(reply)
    }

    /// Takes the response that is known once a request's head was read: an enqueued one, or the early one of a route.
    func reserve(for request: RecordedRequest) -> RouteTable.Found? {
        let enqueued = state.withLock { $0.replies.isEmpty ? nil : $0.replies.removeFirst() }
        return enqueued.map { .reply($0, [:]) } ?? routes.takeEarly(request.method, request.path)
    }

    /// Records a request, with the parameters of its route.
    func receive(_ request: inout RecordedRequest, _ reserved: RouteTable.Found?) -> RouteTable.Found {
        let found = reserved ?? routes.take(request.method, request.path)
        if case .handler(_, let parameters) = found { request.parameters = parameters }
        if case .reply(_, let parameters) = found { request.parameters = parameters }
        record(request)
        return found
    }

    /// The latency and loss of the next exchange; `nil` without a profile.
    func nextChance() -> ExchangeChance? {
        guard let network else { return nil }
        let number = state.withLock { state in
            state.exchangeCount += 1
            return state.exchangeCount
        }
        return ExchangeChance(network.profile, number: number)
    }

    /// Waits for the network's latency, and decides whether the network loses the connection.
    private func isLost(_ socket: ServerStream) throws -> Bool {
        guard let chance = nextChance() else { return false }
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

    /// Blocks this connection's own thread until the route's async closure returns. The closure is cancelled if the
    /// client disconnects.
    private func result(
        of handler: @escaping Routes.Handler, _ request: RecordedRequest, _ socket: ServerStream
    ) throws -> MockResponse {
        let pending = PendingResponse()
        let task = PostedTask(starter) { pending.set(await Self.response(of: handler, request)) }
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

    static func response(of handler: Routes.Handler, _ request: RecordedRequest) async -> MockResponse {
        do { return try await handler(request) } catch {
            return .status(500, body: "The route's closure threw \(error)\n")
        }
    }

    /// If the server stops, handlers are cancelled and their results are not awaited, so that their threads can end.
    private func begin(_ task: PostedTask, _ pending: PendingResponse) -> Int {
        let (id, isStopping) = state.withLock { state in
            state.nextHandler += 1
            state.handlers[state.nextHandler] = (task, pending)
            return (state.nextHandler, state.isStopping)
        }
        if isStopping { pending.giveUp(task) }
        return id
    }

    final class PendingResponse: Sendable {
        private let value = Locked(MockResponse(500))
        private let isSet = DispatchSemaphore(value: 0)

        func set(_ response: MockResponse) {
            value.withLock { $0 = response }
            isSet.signal()
        }

        func giveUp(_ task: PostedTask) {
            task.cancel()
            isSet.signal()
        }

        /// - Throws: If the client disconnects first, noticed within 20 ms. To notice it at once, each waiting
        ///   connection would need a pipe with two descriptors, of which a process has few.
        func wait(watching socket: ServerStream) throws -> MockResponse {
            while isSet.wait(timeout: .now() + .milliseconds(20)) == .timedOut { try socket.pause(.zero) }
            return value.withLock { $0 }
        }
    }
}
