import Foundation

/// One transfer of a loop, from `send` until libcurl has ended it.
///
/// Unchecked: `handle`, `reader`, `feed`, `readFailure`, `tasks` and `isWaiting` are used on the loop's thread only; every other
/// property is constant or has a lock.
final class LibcurlExchange: QueuedTransfer, @unchecked Sendable {
    let request: TransportRequest
    let pipe: TransferPipe
    let origin: OriginKey
    /// The length of the body in bytes; `nil` if it is not known. Read once, because a file may grow.
    let bodyLength: Int64?
    /// The request's body, unless it is in memory.
    private let body: MeasuredBody?
    /// Reads `body` on the loop's thread until a read would have to wait.
    private var reader: BodyReader?
    private var readFailure: AsyncNetError?
    /// Delivers `body` from a task, if the first read or, later, a read by `reader` would have to wait.
    private var feed: UploadFeed?
    private let loop: LibcurlLoop

    var handle: LibcurlHandle?
    /// Set by `LoopAdmission` while the exchange waits for a permit.
    var isWaiting = false

    /// Fills a feed; cancelled when the exchange ends.
    private struct Feeder {
        let feed: UploadFeed
        var task: Task<Void, Never>?
    }

    private let feeder = Locked<Feeder?>(nil)
    /// Makes the tasks in which the user's sequence runs: made by the request's task, it gives them the task-local values of
    /// that task, which the loop's thread does not have. `nil` without a sequence of the user's, and after the end.
    private var tasks: Mailbox?

    /// - Throws: ``AsyncNetError`` with code `.fileNotReadable`, before anything is sent.
    init(_ request: TransportRequest, origin: OriginKey, loop: LibcurlLoop) throws(AsyncNetError) {
        self.request = request
        self.origin = origin
        self.loop = loop
        switch request.body.content {
        case .none: (body, bodyLength) = (nil, nil)
        case .data(let data): (body, bodyLength) = (nil, Int64(data.count))
        case .file, .stream, .multipart, .compressed:
            try request.body.checkHasNoTrailers()
            let measured = try MeasuredBody(request.body)
            (body, bodyLength) = (measured, measured.length)
        }
        tasks = body?.asksUserCode == true ? Mailbox.withTaskLocals() : nil
        pipe = TransferPipe(request.delivery, limit: request.maximumBodySize, isUrgent: request.isUrgent)
        // The pipe releases these closures at its end, which breaks the retain cycle.
        pipe.connect(onAbort: { loop.post(.cancel(self)) }, onDemand: { loop.post(.receive(self)) })
    }

    // MARK: A body that is not in memory

    /// Begins to read the body: on the loop's thread if no read has to wait, which saves a copy and a change of threads
    /// for a file in the system's cache; otherwise in a task that fills a feed.
    func startReading() {
        guard let body else { return }
        if body.isReadableAtOnce { reader = body.makeReader() } else { startFeed(body.makeReader()) }
    }

    /// Begins to read the body from its start again; `false` if it can be read only once.
    func restartReading() -> Bool {
        guard body != nil, request.body.replay == .repeatable else { return false }
        stopFeed()
        (feed, readFailure) = (nil, nil)
        startReading()
        return true
    }

    /// Moves the body's next bytes into `buffer`.
    func readBody(into buffer: UnsafeMutableRawBufferPointer) -> UploadFeed.Piece {
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

    /// The error that prevents the body from being sent to its end; `nil` if there is none.
    var bodyFailure: AsyncNetError? { readFailure ?? feed?.failure }

    /// Moves a reader from the loop's thread to the task that uses it from then on.
    ///
    /// Unchecked: the loop's thread drops its reference before the task begins.
    private struct HandedOver: @unchecked Sendable {
        let reader: BodyReader
    }

    /// A user's sequence runs on an executor that it may block.
    private func startFeed(_ reader: BodyReader) {
        let feed = UploadFeed { [weak self, loop] in self.map { loop.post(.send($0)) } }
        self.feed = feed
        feeder.withLock { $0 = Feeder(feed: feed) }
        let handed = HandedOver(reader: reader)
        guard let tasks else { return begin(Task { await Self.write(handed, to: feed) }, feed) }
        tasks.post { [self] in
            begin(Task(executorPreference: ProducerExecutor()) { await Self.write(handed, to: feed) }, feed)
        }
    }

    /// Keeps the task that fills the feed, or cancels it if the feed has been stopped meanwhile.
    private func begin(_ task: Task<Void, Never>, _ feed: UploadFeed) {
        let isStopped = feeder.withLock { feeder in
            guard feeder?.feed === feed else { return true }
            feeder?.task = task
            return false
        }
        if isStopped { task.cancel() }
    }

    private func stopFeed() {
        feed?.close()
        feeder.withLock { $0.take() }?.task?.cancel()
    }

    /// `@concurrent`, so that it runs on the task's preferred executor.
    @concurrent
    private static func write(_ handed: HandedOver, to feed: UploadFeed) async {
        await feed.write(handed.reader)
    }

    /// Whether the request is suspended; the transfer then continues when it is resumed.
    var isSuspended: Bool {
        guard let hold = request.hold, hold.isHeld else { return false }
        return hold.isHeld(self) { [loop] in loop.post(.send(self)) }
    }

    func stop() {
        request.hold?.forget(self)
        stopFeed()
        (reader, tasks) = (nil, nil)
    }
}
