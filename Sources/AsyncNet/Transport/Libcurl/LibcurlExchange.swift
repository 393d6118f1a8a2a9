import Foundation

/// One request on its way through a loop, from `send` until libcurl is done with it.
///
/// `handle` and `isParked` belong to the loop's thread; everything else is set once or safe from anywhere. That makes it
/// sendable, which the compiler cannot see.
final class LibcurlExchange: @unchecked Sendable {
    let request: TransportRequest
    let pipe: TransferPipe
    let origin: OriginKey
    /// Asked for once: a file may grow.
    let bodyLength: Int64?
    /// Where a body comes from that is not in memory.
    private(set) var feed: UploadFeed?
    private let loop: LibcurlLoop

    var handle: LibcurlHandle?
    var isParked = false

    /// Reads that body; ends with the exchange.
    private let feeder = Locked<Task<Void, Never>?>(nil)

    init(_ request: TransportRequest, origin: OriginKey, loop: LibcurlLoop) {
        self.request = request
        self.origin = origin
        bodyLength = request.body.length
        self.loop = loop
        pipe = TransferPipe(request.delivery)
        switch request.body.content {
        case .none, .data: break
        case .file, .stream: feed = UploadFeed { [weak self] in self.map { loop.post(.send($0)) } }
        }
        // The pipe lets go of these at the end, so nothing holds itself.
        pipe.connect(onAbort: { loop.post(.cancel(self)) }, onDemand: { loop.post(.receive(self)) })
    }

    /// Begins to read a body that is not in memory.
    func startFeeding() {
        guard let feed else { return }
        let (body, length) = (request.body, bodyLength)
        feeder.withLock { $0 = Task { await Self.write(body, length, to: feed) } }
    }

    /// Files are read, and users' sequences asked, on no actor.
    @concurrent
    private static func write(_ body: RequestBody, _ length: Int64?, to feed: UploadFeed) async {
        switch body.content {
        case .none, .data: break
        case .stream(let makeNext, _): await feed.write(makeNext(), length: length)
        case .file(let url): await feed.write(FileReader(url).next, length: length)
        }
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

/// A file, piece by piece.
private final class FileReader {
    private let url: URL
    private var handle: FileHandle?

    init(_ url: URL) { self.url = url }

    func next() async throws -> Data? {
        do {
            let handle = try handle ?? FileHandle(forReadingFrom: url)
            self.handle = handle
            return try handle.read(upToCount: 256 * 1024).flatMap { $0.isEmpty ? nil : $0 }
        } catch {
            throw AsyncNetError(.encodingFailed, "The file to send cannot be read", underlyingError: error)
        }
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
