import Foundation

/// The progress of a request. A loop over it does not start the request: an `async let value =
/// request.validate().serializing(User.self).value` before the loop runs in a task of its own, and its validator would
/// come too late if the loop had started the request. A loop that waits for a request that nobody starts logs a notice
/// instead.
struct ProgressSteps: AsyncSequence, Sendable {
    let values: AsyncStream<TransferProgress>
    /// Starts the timer after which a loop logs that it waits in vain; `nil` once the request has started.
    let makeNotice: @Sendable () -> ProgressNotice?

    func makeAsyncIterator() -> Iterator { Iterator(values: values.makeAsyncIterator(), makeNotice: makeNotice) }

    struct Iterator: AsyncIteratorProtocol {
        var values: AsyncStream<TransferProgress>.Iterator
        let makeNotice: () -> ProgressNotice?
        private var isFirst = true

        init(values: AsyncStream<TransferProgress>.Iterator, makeNotice: @escaping () -> ProgressNotice?) {
            self.values = values
            self.makeNotice = makeNotice
        }

        mutating func next() async -> TransferProgress? { await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async -> TransferProgress? {
            guard isFirst else { return await values.next(isolation: actor) }
            isFirst = false
            let notice = makeNotice()
            defer { notice?.cancel() }
            return await values.next(isolation: actor)
        }
    }
}

/// The timer after which a loop logs that it waits in vain.
struct ProgressNotice {
    /// How long a loop waits before it logs: by then, a task that awaits the outcome has started the request.
    static let delay = Duration.seconds(5)

    /// Writes the text to the standard error, once in a process. A test may replace this function.
    @TaskLocal static var write: @Sendable (String) -> Void = { text in
        let isFirst = isFirst.withLock { isFirst in
            defer { isFirst = false }
            return isFirst
        }
        guard isFirst else { return }
        FileHandle.standardError.write(Data("AsyncNet: \(text)\n".utf8))
    }
    private static let isFirst = Locked(true)

    let timers: TimerQueue
    let timer: TimerQueue.Timer

    func cancel() { timers.cancel(timer) }
}
