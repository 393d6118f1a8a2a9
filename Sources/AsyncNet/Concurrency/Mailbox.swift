/// Runs messages in the order in which they were posted, for callers that cannot wait, such as cancellation handlers.
///
/// The mailbox owns a task that runs one message at a time. A message may only enter actors whose code does not block.
/// The task ends after the last message once the mailbox is deallocated.
final class Mailbox: Sendable {
    typealias Message = @Sendable () async -> Void

    private let messages: AsyncStream<Message>.Continuation

    /// - Parameter executor: Runs the messages; `nil` for Swift's own.
    init(on executor: (any TaskExecutor)? = nil) {
        let (stream, messages) = AsyncStream.makeStream(of: Message.self)
        self.messages = messages
        Task(executorPreference: executor) {
            for await message in stream { await message() }
        }
    }

    deinit { messages.finish() }

    func post(_ message: @escaping Message) { messages.yield(message) }
}
