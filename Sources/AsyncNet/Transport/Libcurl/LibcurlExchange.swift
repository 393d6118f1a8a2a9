import Foundation

/// One request on its way through a loop, from `send` until libcurl is done with it.
///
/// `handle`, `feed` and `isParked` belong to the loop's thread; everything else is set once or safe from anywhere. That makes it
/// sendable, which the compiler cannot see.
final class LibcurlExchange: @unchecked Sendable {
    let request: TransportRequest
    let pipe: TransferPipe
    let origin: OriginKey
    /// In bytes, `nil` if nobody knows. Asked for once: a file may grow.
    let bodyLength: Int64?
    /// A body that is not in memory, and where it comes from.
    private let body: MeasuredBody?
    private(set) var feed: UploadFeed?
    private let loop: LibcurlLoop

    var handle: LibcurlHandle?
    var isParked = false

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
        pipe = TransferPipe(request.delivery)
        if body != nil { feed = makeFeed() }
        // The pipe lets go of these at the end, so nothing holds itself.
        pipe.connect(onAbort: { loop.post(.cancel(self)) }, onDemand: { loop.post(.receive(self)) })
    }

    private func makeFeed() -> UploadFeed {
        UploadFeed { [weak self, loop] in self.map { loop.post(.send($0)) } }
    }

    /// Begins to read a body that is not in memory; users' sequences where they may block.
    func startFeeding() {
        guard let feed, let body else { return }
        let executor = body.asksUserCode ? ProducerExecutor() : nil
        feeder.withLock { $0 = Task(executorPreference: executor) { await Self.write(body, to: feed) } }
    }

    /// Reads the body from its start again, if it can be; called by the loop's thread.
    func restartFeeding() -> Bool {
        guard let feed, request.body.replay == .repeatable else { return false }
        feed.close()
        feeder.withLock { $0.take() }?.cancel()
        self.feed = makeFeed()
        startFeeding()
        return true
    }

    /// On no actor.
    @concurrent
    private static func write(_ body: MeasuredBody, to feed: UploadFeed) async {
        await feed.write(body.makeReader())
    }

    /// Whether to pause; when that is over the loop is told.
    var isSuspended: Bool {
        guard let hold = request.hold, hold.isHeld else { return false }
        return hold.isHeld(self) { [loop] in loop.post(.send(self)) }
    }

    func stop() {
        request.hold?.forget(self)
        guard let feed else { return }
        feed.close()
        feeder.withLock { $0.take() }?.cancel()
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
