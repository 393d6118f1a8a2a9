import Foundation

/// One request on its way through a loop, from `send` until libcurl is done with it.
///
/// `handle`, `reader`, `feed`, `readFailure` and `isWaiting` belong to the loop's thread; everything else is set once or
/// safe from anywhere. That makes it sendable, which the compiler cannot see.
final class LibcurlExchange: QueuedTransfer, @unchecked Sendable {
    let request: TransportRequest
    let pipe: TransferPipe
    let origin: OriginKey
    /// In bytes, `nil` if nobody knows. Asked for once: a file may grow.
    let bodyLength: Int64?
    /// A body that is not in memory.
    private let body: MeasuredBody?
    /// Reads it on the loop's thread, for as long as nothing has to be waited for.
    private var reader: BodyReader?
    private var readFailure: AsyncNetError?
    /// Where it comes from once something has, or from the start.
    private var feed: UploadFeed?
    private let loop: LibcurlLoop

    var handle: LibcurlHandle?
    /// Set by `LoopAdmission` while the exchange waits for a permit.
    var isWaiting = false

    /// Reads that body; ends with the exchange.
    private let feeder = Locked<Task<Void, Never>?>(nil)

    /// - Throws: ``AsyncNetError`` with code `.fileNotReadable`, before anything is sent.
    init(_ request: TransportRequest, origin: OriginKey, loop: LibcurlLoop) throws(AsyncNetError) {
        self.request = request
        self.origin = origin
        self.loop = loop
        switch request.body.content {
        case .none: (body, bodyLength) = (nil, nil)
        case .data(let data): (body, bodyLength) = (nil, Int64(data.count))
        case .file, .stream, .multipart, .compressed:
            let measured = try MeasuredBody(request.body)
            (body, bodyLength) = (measured, measured.length)
        }
        pipe = TransferPipe(request.delivery, limit: request.maximumBodySize, isUrgent: request.isUrgent)
        // The pipe lets go of these at the end, so nothing holds itself.
        pipe.connect(onAbort: { loop.post(.cancel(self)) }, onDemand: { loop.post(.receive(self)) })
    }

    // MARK: A body that is not in memory

    /// Begins to read it: here if it is all there, so that a file in the system's cache costs no copy and no change of
    /// threads; otherwise through a feed.
    func startReading() {
        guard let body else { return }
        if body.isReadableAtOnce { reader = body.makeReader() } else { startFeed(body.makeReader()) }
    }

    /// From its start again, if that is possible.
    func restartReading() -> Bool {
        guard body != nil, request.body.replay == .repeatable else { return false }
        stopFeed()
        (feed, readFailure) = (nil, nil)
        startReading()
        return true
    }

    /// The next bytes.
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

    /// Why the body cannot be sent to its end, if so.
    var bodyFailure: AsyncNetError? { readFailure ?? feed?.failure }

    /// A reader on its way from the loop's thread, which forgets it, to the task that alone uses it from then on.
    private struct HandedOver: @unchecked Sendable {
        let reader: BodyReader
    }

    /// Users' sequences are asked where they may block.
    private func startFeed(_ reader: BodyReader) {
        let feed = UploadFeed { [weak self, loop] in self.map { loop.post(.send($0)) } }
        self.feed = feed
        let executor = body?.asksUserCode == true ? ProducerExecutor() : nil
        let handed = HandedOver(reader: reader)
        let task = Task(executorPreference: executor) { await Self.write(handed, to: feed) }
        feeder.withLock { $0 = task }
    }

    private func stopFeed() {
        feed?.close()
        feeder.withLock { $0.take() }?.cancel()
    }

    /// On no actor.
    @concurrent
    private static func write(_ handed: HandedOver, to feed: UploadFeed) async {
        await feed.write(handed.reader)
    }

    /// Whether to pause; when that is over the loop is told.
    var isSuspended: Bool {
        guard let hold = request.hold, hold.isHeld else { return false }
        return hold.isHeld(self) { [loop] in loop.post(.send(self)) }
    }

    func stop() {
        request.hold?.forget(self)
        stopFeed()
        reader = nil
    }
}

/// Stands for scheme, host and port. Two origins that share one by chance share no more than a place in a queue.
typealias OriginKey = UInt64

extension URL {
    /// Of everything before the path.
    var originKey: OriginKey {
        var slashes = 0
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in absoluteString.utf8 {
            if byte == 0x2F || byte == 0x3F || byte == 0x23 {
                slashes += 1
                if slashes == 3 || byte != 0x2F { break }
            }
            hash = (hash ^ UInt64(byte.asciiLowercased)) &* 0x100_0000_01B3
        }
        return hash
    }
}
