/// The received messages that a program has not taken. Any number of tasks take messages; one task adds them, and waits
/// while the queue is full.
final class MessageQueue: Sendable {
    private struct State {
        var messages: ArraySlice<WebSocketMessage> = []
        var bytes = 0
        var end: Result<Void, AsyncNetError>?
        var isShut = false

        var isFull: Bool { bytes >= MessageQueue.mostBytes || messages.count >= MessageQueue.mostMessages }

        mutating func take() -> Result<WebSocketMessage?, AsyncNetError>? {
            guard let message = messages.takeFirst(leaving: .text("")) else {
                return end.map { end in end.map { nil } }
            }
            bytes -= message.size
            return .success(message)
        }
    }

    /// The queue is full when it has this many messages, or `mostBytes`.
    static let mostMessages = 256
    static let mostBytes = 256 * 1024

    private let state = AwaitedState(State())

    var isFull: Bool { state.read { $0.isFull } }

    func add(_ batch: MessageBatch) {
        state.change { state in
            guard state.end == nil, !state.isShut else { return }
            state.messages.append(contentsOf: batch.messages)
            state.bytes += batch.bytes
        }
    }

    func room() async { await state.wait { !$0.isFull || $0.isShut || $0.end != nil } }

    /// Drops all further messages, so that the task that adds them does not wait for room any more.
    func shut() { state.change { $0.isShut = true } }

    /// The next message; `nil` after the last one of a WebSocket that was closed.
    func take() async throws(AsyncNetError) -> WebSocketMessage? {
        while true {
            guard !Task.isCancelled else { throw AsyncNetError(.cancelled) }
            if let taken = state.change({ $0.take() }) { return try taken.get() }
            await state.wait { !$0.messages.isEmpty || $0.end != nil }
        }
    }

    func finish(_ end: Result<Void, AsyncNetError>) { state.change { $0.end = $0.end ?? end } }
}

struct MessageBatch {
    private(set) var messages: [WebSocketMessage] = []
    private(set) var bytes = 0

    var isFull: Bool { bytes >= MessageQueue.mostBytes / 4 || messages.count >= MessageQueue.mostMessages / 4 }

    mutating func add(_ message: WebSocketMessage) {
        messages.append(message)
        bytes += message.size
    }
}
