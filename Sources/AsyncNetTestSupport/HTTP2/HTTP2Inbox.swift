import AsyncNet

/// The messages of other threads to the thread of an HTTP/2 connection.
final class HTTP2Inbox: Sendable {
    enum Message: Sendable {
        /// The result of a route's closure.
        case reply(UInt32, MockResponse)
        case settings(MockServer.HTTP2)
        case step(HTTP2Script.Step)
    }

    let wakeup: Wakeup
    private let messages = Locked<[Message]>([])

    init(_ wakeup: Wakeup) { self.wakeup = wakeup }

    func add(_ message: Message) {
        messages.withLock { $0.append(message) }
        wakeup.set()
    }

    func take() -> [Message] {
        messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}

/// The settings of a server's HTTP/2, and its connections.
final class HTTP2Connections: Sendable {
    private struct State {
        var settings: MockServer.HTTP2
        var inboxes: [Int: HTTP2Inbox] = [:]
    }

    private let state: Locked<State>

    init(_ settings: MockServer.HTTP2) { state = Locked(State(settings: settings)) }

    /// - Returns: The settings that the connection begins with.
    func add(_ inbox: HTTP2Inbox, _ number: Int) -> MockServer.HTTP2 {
        state.withLock { state in
            state.inboxes[number] = inbox
            return state.settings
        }
    }

    func remove(_ number: Int) { state.withLock { $0.inboxes[number] = nil } }

    func update(_ settings: MockServer.HTTP2) {
        state.withLock { $0.settings = settings }
        send(.settings(settings))
    }

    func send(_ message: HTTP2Inbox.Message) {
        for inbox in state.withLock({ $0.inboxes.values }) { inbox.add(message) }
    }
}
