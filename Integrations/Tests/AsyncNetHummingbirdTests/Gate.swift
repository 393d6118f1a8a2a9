/// Lets one side wait until the other opens it.
final class Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func open() { continuation.finish() }
    /// Returns when the gate is open or the task is cancelled; for a single task.
    func wait() async { for await _ in stream {} }
}
