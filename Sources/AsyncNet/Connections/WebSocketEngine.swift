import Foundation

/// The actor that runs a WebSocket.
///
/// One task, the driver, opens the connection, receives from it until it ends, and opens the next one if the
/// reconnection allows it; then it ends the WebSocket, once. Tasks that use the WebSocket wait for a change of `phase`.
/// A cancelled driver closes the connection at once: `cancel` and the release of the WebSocket do so.
actor WebSocketEngine {
    private enum Phase: Sendable {
        case idle, opening, open
        case ended(AsyncNetError?)

        var isSettled: Bool {
            switch self {
            case .open, .ended: true
            case .idle, .opening: false
            }
        }
        var isOpen: Bool { if case .open = self { true } else { false } }
        var hasEnded: Bool { if case .ended = self { true } else { false } }
    }

    nonisolated let queue = MessageQueue()
    nonisolated let plan: WebSocketPlan
    private nonisolated let phase = AwaitedState(Phase.idle)
    private var link: WebSocketLink?
    private var driver: Task<Void, Never>?
    private var pinger: TimerQueue.Timer?
    private var isClosing = false
    private var isSessionFinished = false
    private var hasFailedToResume = false
    private var failures = 0
    /// How many connections the WebSocket has opened again while its session finishes.
    private var lateReopenings = 0
    private static let mostLateReopenings = 10
    private var start = Duration.zero
    private(set) var lastHead: HTTPResponseHead?
    private(set) var agreement: WebSocketAgreement?
    private(set) var closing: (code: WebSocketCloseCode, reason: String)?

    init(_ plan: WebSocketPlan) {
        self.plan = plan
        plan.events.onSessionEnd { [weak self, mailbox = plan.environment.mailbox] in
            let engine = self
            mailbox.post { await engine?.sessionHasEnded() }
        }
    }

    private nonisolated var timers: TimerQueue { plan.environment.timers }
    private nonisolated var events: ConnectionEvents { plan.events }

    /// Opens the WebSocket. Returns without an error if the handshake succeeded, even if the server has closed the
    /// WebSocket before this task resumes; throws if the WebSocket had ended before the call.
    func open() async throws(AsyncNetError) {
        let hadEnded = phase.read { $0.hasEnded }
        do {
            try await opened()
        } catch {
            guard !hadEnded, !isClosing, agreement != nil, case .ended(nil) = phase.read({ $0 }) else { throw error }
        }
    }

    nonisolated var hasStarted: Bool { phase.read { if case .idle = $0 { false } else { true } } }

    /// Starts the driver unless it has started, and waits until the WebSocket is open; throws once it has ended.
    func opened() async throws(AsyncNetError) {
        startIfNeeded()
        while true {
            await phase.wait { $0.isSettled }
            switch phase.read({ $0 }) {
            case .open: return
            case .ended(let error): throw error ?? AsyncNetError(.webSocketClosed)
            case .idle, .opening:
                // Either the task is cancelled, or the connection was lost before the task went on.
                guard !Task.isCancelled else { throw AsyncNetError(.cancelled) }
            }
        }
    }

    func startIfNeeded() {
        guard case .idle = phase.read({ $0 }) else { return }
        phase.change { $0 = .opening }
        // ConcurrencyGuarantees.md lists this task: WebSocket
        driver = Task(executorPreference: timers.time.executor) { await self.run() }
    }

    private func run() async {
        while true {
            do throws(AsyncNetError) {
                let link = try await connect(isAgain: agreement != nil)
                while try await handleReceived(link) { try await link.receive() }
                return end(nil)
            } catch {
                leave(error)
                failures += 1
                guard await waitsForNext(after: error) else { return end(isClosing ? nil : error) }
            }
        }
    }

    private func connect(isAgain: Bool) async throws(AsyncNetError) -> WebSocketLink {
        events.begin()
        let link = try await isAgain ? openedAgain() : plan.open()
        lastHead = link.head
        self.link = link
        if isAgain { try await resume(link) }
        guard !Task.isCancelled, !isClosing else { throw AsyncNetError(.cancelled) }
        agreement = link.agreement
        closing = nil
        start = timers.time.now
        phase.change { $0 = .open }
        schedulePing()
        return link
    }

    /// Opens the next connection. While a session finishes, a WebSocket may open again as long as another request runs:
    /// without a limit, two WebSockets' handshakes would keep each other alive.
    private func openedAgain() async throws(AsyncNetError) -> WebSocketLink {
        if plan.environment.transfers.isClosing {
            lateReopenings += 1
            guard lateReopenings <= Self.mostLateReopenings else { throw AsyncNetError(.sessionFinished) }
        }
        let purpose = Purpose(in: plan.environment.identity)
        defer { purpose.end() }
        let link: Result<WebSocketLink, AsyncNetError> = await Purpose.$current.withValue(purpose) {
            do throws(AsyncNetError) { return .success(try await plan.open()) } catch { return .failure(error) }
        }
        return try link.get()
    }

    /// Sends the program's first messages on a connection that replaces another. If the WebSocket ends meanwhile, the
    /// program's code is not waited for.
    private func resume(_ link: WebSocketLink) async throws(AsyncNetError) {
        let messages: [WebSocketMessage]
        do {
            messages = try await UserCode.runAbandonably { [plan] in try await plan.resuming() }
        } catch {
            hasFailedToResume = true
            throw AsyncNetError(wrapping: error, as: .transportFailed)
        }
        for message in messages { try link.send(message) }
    }

    private func leave(_ error: AsyncNetError) {
        if let pinger { timers.cancel(pinger) }
        pinger = nil
        if phase.read({ $0.isOpen }) {
            closing = closing ?? (.abnormalClosure, "")
            if timers.time.now - start >= plan.reconnection.maximumDelay { failures = 0 }
        }
        link?.failPings(error)
        link?.connection.abort(error)
        link = nil
        phase.change { if case .open = $0 { $0 = .opening } }
    }

    /// Whether the driver opens another connection; returns after the delay before that connection.
    private func waitsForNext(after error: AsyncNetError) async -> Bool {
        guard agreement != nil, !isClosing, !hasFailedToResume, !Task.isCancelled,
            let delay = plan.reconnection.delay(
                after: error, closeCode: closing?.code, failures: failures, jitter: .random(in: 0...1))
        else { return false }
        events.send(.lost(error, reopensAfter: delay))
        guard (try? await timers.time.sleep(until: timers.time.now + delay)) != nil else { return false }
        return !isClosing
    }

    private func end(_ error: AsyncNetError?) {
        let error = Task.isCancelled && !isClosing ? cancelError : error
        leave(error ?? AsyncNetError(.webSocketClosed))
        closing = closing ?? (.abnormalClosure, "")
        events.end(error)
        queue.finish(error.map { .failure($0) } ?? .success(()))
        phase.change { $0 = .ended(error) }
        driver = nil
    }

    private var cancelError: AsyncNetError { AsyncNetError(isSessionFinished ? .sessionFinished : .cancelled) }

    /// Handles what has arrived; returns whether more may follow. Throws if the server's close frame must end a loop
    /// over the messages with an error. Messages that arrived together are passed on together: waking the program's
    /// task for each message costs more than all other work.
    private func handleReceived(_ link: WebSocketLink) async throws(AsyncNetError) -> Bool {
        var batch = MessageBatch()
        while true {
            let event: WebSocketEvent?
            do { event = try link.machine.next() } catch {
                await pass(&batch)
                try await refuse(error, of: link)
            }
            if case .message(let message) = event {
                failures = 0
                events.send(.receivedMessage(isText: message.isText, bytes: message.size))
                batch.add(message)
                guard batch.isFull else { continue }
            }
            await pass(&batch)
            guard let event else { return true }
            guard try await handle(event, link) else { return false }
        }
    }

    private func pass(_ batch: inout MessageBatch) async {
        guard !batch.messages.isEmpty else { return }
        queue.add(batch)
        batch = MessageBatch()
        if queue.isFull { await queue.room() }
    }

    /// After a violation of the protocol, the server gets a close frame before the connection is closed.
    private func refuse(_ failure: WebSocketFailure, of link: WebSocketLink) async throws(AsyncNetError) -> Never {
        // A close frame is sent only once.
        if let frame = link.machine.closeFrame(for: failure) {
            link.sendRequired(frame)
            events.send(.sentClose(failure.closeCode))
            closing = (failure.closeCode, "")
        }
        await link.connection.close()
        throw failure.error
    }

    /// Handles an event; a message was passed on before. Returns whether more events may follow.
    private func handle(_ event: WebSocketEvent, _ link: WebSocketLink) async throws(AsyncNetError) -> Bool {
        let reply = link.machine.reply(to: event)
        link.sendRequired(reply)
        switch event {
        case .message: break
        case .ping: try await link.pongsAreSent()
        case .pong(let payload):
            failures = 0
            link.receivePong(payload, at: timers.time.now)
        case .close(let code, let reason):
            events.send(.receivedClose(code ?? .noStatusReceived))
            if reply != nil { events.send(.sentClose(code ?? .noStatusReceived)) }
            try await closed(by: code ?? .noStatusReceived, reason, link)
            return false
        }
        guard !Task.isCancelled else { throw AsyncNetError(.cancelled) }
        return true
    }

    private func closed(
        by code: WebSocketCloseCode, _ reason: String, _ link: WebSocketLink
    ) async throws(AsyncNetError) {
        closing = (code, reason)
        await link.connection.close()
        let isRegular = [.normalClosure, .goingAway, .noStatusReceived].contains(code)
        guard !isClosing, !isRegular || plan.reconnection.reopens(after: code) else { return }
        throw AsyncNetError(.webSocketClosed, "The server closed the WebSocket with code \(code)")
    }

    func send(_ message: WebSocketMessage) async throws(AsyncNetError) {
        guard !Task.isCancelled else { throw AsyncNetError(.cancelled) }
        let link = try await openLink()
        try link.send(message)
        try await link.sendingRoom()
    }

    private func openLink() async throws(AsyncNetError) -> WebSocketLink {
        while true {
            try await opened()
            guard !isClosing else { throw AsyncNetError(.webSocketClosed) }
            if let link { return link }
        }
    }

    func ping() async throws(AsyncNetError) -> Duration {
        let link = try await openLink()
        let answer = Promise<Duration>()
        try link.sendPing(at: timers.time.now, answer)
        do throws(AsyncNetError) { return try await answer.value() } catch {
            link.forgetPing(answer)
            throw error
        }
    }

    private func schedulePing() {
        guard let interval = plan.options.pingInterval, interval > .zero else { return }
        let connection = link.map { ObjectIdentifier($0) }
        pinger = timers.schedule(at: timers.time.now + interval) { [weak self, mailbox = plan.environment.mailbox] in
            let engine = self
            mailbox.post { await engine?.pingIsDue(connection) }
            return nil
        }
    }

    /// - Parameter connection: The connection for which the ping was scheduled. Another one may have replaced it since.
    private func pingIsDue(_ connection: ObjectIdentifier?) {
        guard let link, ObjectIdentifier(link) == connection, !isClosing else { return }
        guard !queue.isFull else { return schedulePing() }
        guard link.missedPongs < max(1, plan.options.missedPongLimit) else {
            let error = AsyncNetError(
                .timedOut, "The server answered none of the last \(link.missedPongs) pings of the WebSocket")
            return link.connection.abort(error)
        }
        try? link.sendPing(at: timers.time.now, nil)
        schedulePing()
    }

    func close(_ code: WebSocketCloseCode, _ reason: String) async throws(AsyncNetError) {
        _ = try WebSocketCloseBody.bytes(code: code, reason: reason)
        guard !phase.read({ $0.hasEnded }) else { return }
        let hasSentClose = isClosing || link?.machine.hasSentClose == true
        let frame = hasSentClose ? nil : try link?.machine.encodeClose(code, reason: reason)
        isClosing = true
        queue.shut()
        if frame != nil { events.send(.sentClose(code)) }
        let limit = link.map { limitClosing($0, frame) }
        if !phase.read({ $0.isOpen }) {
            if let driver { driver.cancel() } else { end(nil) }
        }
        await phase.wait { $0.hasEnded }
        if let limit { timers.cancel(limit) }
        if Task.isCancelled { link?.connection.abort(nil) }
    }

    /// Sends the close frame, unless one was sent before. Returns the timer that closes the connection if the server
    /// sends no close frame in time.
    private func limitClosing(_ link: WebSocketLink, _ frame: Data?) -> TimerQueue.Timer {
        link.sendRequired(frame)
        let due = timers.time.now + max(.zero, plan.options.closeTimeout)
        return timers.schedule(at: due) { [connection = link.connection] in
            connection.abort(nil)
            return nil
        }
    }

    func cancel() {
        if let driver { driver.cancel() } else if !phase.read({ $0.hasEnded }) { end(cancelError) }
    }

    /// Ends also a WebSocket that waits for its next connection. One that has a connection would end anyway, when the
    /// transport closes the connection.
    private func sessionHasEnded() {
        guard !phase.read({ $0.hasEnded }) else { return }
        isSessionFinished = true
        cancel()
    }
}
