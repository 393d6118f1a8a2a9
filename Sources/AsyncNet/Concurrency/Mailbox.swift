/// A way from places that cannot wait, such as a cancellation handler, to actors, in the order of posting.
///
/// One task, which the mailbox owns, does what is posted, one after the other. What is posted must only enter an
/// actor that nobody blocks. The task ends when the mailbox goes away, after what was posted until then.
package final class Mailbox: Sendable {
    package typealias Message = @Sendable () async -> Void

    private let messages: AsyncStream<Message>.Continuation

    package init() {
        let (stream, messages) = AsyncStream.makeStream(of: Message.self)
        self.messages = messages
        Task {
            for await message in stream { await message() }
        }
    }

    deinit { messages.finish() }

    package func post(_ message: @escaping Message) { messages.yield(message) }
}
