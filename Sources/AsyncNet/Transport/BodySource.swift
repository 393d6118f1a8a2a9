/// Reads a request's body on a transport's thread while no read has to wait, which saves a copy and a change of
/// threads. If a read has to wait, a task reads and fills a feed. Used only on the transport's thread.
package final class BodySource {
    private let body: MeasuredBody
    private let onData: @Sendable () -> Void
    private var reader: BodyReader?
    private var readFailure: AsyncNetError?
    private var feed: UploadFeed?
    private let tasks: Mailbox?

    /// - Parameter onData: Called on any thread when `read` can continue after `.pause`.
    package init(_ body: MeasuredBody, _ tasks: Mailbox?, onData: @escaping @Sendable () -> Void) {
        self.body = body
        self.tasks = tasks
        self.onData = onData
    }

    deinit { stop() }

    package func start() {
        stop()
        if body.isReadableAtOnce { reader = body.makeReader() } else { startFeed(body.makeReader()) }
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> UploadFeed.Piece {
        guard let reader else { return feed?.read(into: buffer) ?? .end }
        do {
            if let count = try reader.readCached(into: buffer) { return count == 0 ? .end : .bytes(count) }
        } catch {
            readFailure = error
            return .failure
        }
        self.reader = nil
        startFeed(reader)
        return feed?.read(into: buffer) ?? .end
    }

    package var failure: AsyncNetError? { readFailure ?? feed?.failure }

    var trailers: HTTPHeaders { feed?.trailers ?? [:] }

    func stop() {
        feed?.close()
        feed = nil
        reader = nil
        readFailure = nil
    }

    /// Moves a reader from the transport's thread to the task that uses it from then on. Unchecked: the thread drops its
    /// reference before the task begins.
    private struct HandedOver: @unchecked Sendable {
        let reader: BodyReader
    }

    /// A user's sequence runs with the task-local values of the request's task, on a thread that it may block.
    private func startFeed(_ reader: BodyReader) {
        let feed = UploadFeed(onData: onData)
        self.feed = feed
        let handed = HandedOver(reader: reader)
        guard let tasks else {
            // ConcurrencyGuarantees.md lists this task: body
            return feed.begin { Task { await Self.write(handed, to: feed) } }
        }
        tasks.post {
            // ConcurrencyGuarantees.md lists this task: body
            feed.begin { Task(executorPreference: UserCode.threads) { await Self.write(handed, to: feed) } }
        }
    }

    /// `@concurrent`, so that it runs on the task's preferred executor.
    @concurrent
    private static func write(_ handed: HandedOver, to feed: UploadFeed) async {
        await feed.write(handed.reader)
    }
}
