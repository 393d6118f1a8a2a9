/// Runs messages in the order in which they were posted, for callers that cannot wait, such as cancellation handlers.
/// The mailbox owns a task that runs one message at a time. After the mailbox is deallocated, the task runs the
/// messages that are left, and ends. A message may only enter actors whose code does not block.
package final class Mailbox: Sendable {
    package typealias Message = @Sendable () async -> Void

    private let messages: AsyncStream<Message>.Continuation

    /// A mailbox whose messages see no task-local values: the values of the task that makes the mailbox would live as
    /// long as the mailbox.
    init(on executor: (any TaskExecutor)? = nil) {
        let (stream, messages) = AsyncStream.makeStream(of: Message.self)
        self.messages = messages
        // ConcurrencyGuarantees.md lists this task: cancellations
        Task.detached(executorPreference: executor) { await Self.run(stream) }
    }

    /// A mailbox whose messages see the task-local values of the task that makes it.
    package static func withTaskLocals() -> Mailbox {
        let (stream, messages) = AsyncStream.makeStream(of: Message.self)
        // ConcurrencyGuarantees.md lists this task: body starter
        Task { await run(stream) }
        return Mailbox(messages)
    }

    private init(_ messages: AsyncStream<Message>.Continuation) { self.messages = messages }

    private static func run(_ messages: AsyncStream<Message>) async {
        for await message in messages { await message() }
    }

    deinit { messages.finish() }

    package func post(_ message: @escaping Message) { messages.yield(message) }
}
