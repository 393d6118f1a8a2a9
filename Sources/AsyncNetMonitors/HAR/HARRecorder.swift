public import AsyncNet
public import Foundation

/// Records the exchanges of a session in the HTTP Archive format, HAR 1.2
/// (http://www.softwareishard.com/blog/har-12-spec/), which browsers and debuggers open.
///
///     let recorder = HARRecorder()
///     let session = Session(configuration: .init(monitors: [recorder]))
///     ...
///     try await recorder.write(to: file)
///
/// Each hop is an entry of its own: redirects, challenges, attempts, hedged transfers and the segments of a download.
/// Fields of AsyncNet's own are `_requestID`, `_attempt`, `_hop`, `_connectionReused`, `_truncated` for a body that the
/// limit has cut, and `_error`: why the hop failed, or why its response was refused. A hop without a response has
/// status 0. A transfer that equal requests share is an entry of each of them.
///
/// An exchange is recorded when it has ended. An exchange that is running when the log is written is not in it, but is
/// counted in the log's comment. Bodies that are not UTF-8 are in Base64; bodies of requests that come from files or
/// streams are not recorded. When `await request.value` returns, the request's exchanges are recorded.
///
/// Secrets are redacted by a `RedactionRule`. Bodies that are neither JSON nor a form are recorded as they are; give a
/// `bodyLimit` of 0 if they can be secret. For a compressed body of a request only the length is recorded.
public final class HARRecorder: EventMonitor {
    private let collector: Locked<HopCollector>
    private let memory: Locked<HARMemory>
    private let stream: HARStream?
    private let redaction: RedactionRule?
    public let interests: EventInterests

    /// Makes a recorder that keeps its entries in memory.
    ///
    /// - Parameters:
    ///   - bodyLimit: How many bytes of each body are recorded; 64 KiB by default.
    ///   - memoryLimit: How many bytes all entries may have together, approximately; 64 MiB by default. Beyond it the
    ///     oldest entries are dropped, and counted in the log's comment.
    ///   - redaction: What is redacted. `nil` records all secrets.
    public init(
        bodyLimit: Int = 64 * 1024, memoryLimit: Int = 64 * 1024 * 1024, redaction: RedactionRule? = .standard
    ) {
        (self.redaction, stream) = (redaction, nil)
        memory = Locked(HARMemory(limit: memoryLimit))
        collector = Locked(HopCollector(bodyLimit: bodyLimit))
        interests = EventInterests(sentHeads: true, bodyBytes: true, bodyLimit: max(0, bodyLimit))
    }

    /// Makes a recorder that writes each exchange to a file when the exchange has ended, so that memory does not grow
    /// with the number of exchanges.
    ///
    /// The file is replaced if it exists, and only this user may read it. The file is a whole HAR file after each
    /// entry; call ``finish()`` to be sure that all entries are written. Requests do not wait for the writing. If the
    /// disk is slower than the requests, at most 64 MiB wait for it; beyond that the oldest entries are dropped, and
    /// counted in the log's comment.
    ///
    /// - Parameters:
    ///   - file: The file, in an existing folder.
    ///   - bodyLimit: How many bytes of each body are recorded; 64 KiB by default.
    ///   - redaction: What is redacted. `nil` records all secrets.
    /// - Throws: `AsyncNetError` with code `.fileNotWritable`.
    public init(
        streamingTo file: URL, bodyLimit: Int = 64 * 1024, redaction: RedactionRule? = .standard
    ) throws(AsyncNetError) {
        stream = try HARStream(file, redaction, limit: Self.waitingLimit)
        self.redaction = redaction
        memory = Locked(HARMemory(limit: 0))
        collector = Locked(HopCollector(bodyLimit: bodyLimit))
        interests = EventInterests(sentHeads: true, bodyBytes: true, bodyLimit: max(0, bodyLimit))
    }

    private static let waitingLimit = 64 * 1024 * 1024

    // MARK: The log

    /// The log so far, as the text of a HAR file. Entries are in the order in which their exchanges began; with a
    /// recorder that streams, in the order in which they ended. Keys are sorted.
    ///
    /// This function takes time to make the text, and blocks its thread while a recorder that streams writes its file.
    ///
    /// - Throws: `AsyncNetError` with code `.encodingFailed`, or `.fileNotReadable` for the file of a recorder that
    ///   streams.
    public func data() throws(AsyncNetError) -> Data {
        if let stream {
            do { return try stream.contents() } catch {
                throw AsyncNetError(
                    .fileNotReadable, "The recorder's HAR file cannot be read back", underlyingError: error)
            }
        }
        let (kept, lost) = memory.withLock { ($0.kept, $0.lost) }
        // Sorts outside of the lock: requests wait for the lock, and sorting takes long.
        let records = kept.sorted { ($0.date, $0.requestID, $0.hop) < ($1.date, $1.requestID, $1.hop) }
        let comment = HARText.comment(lost: lost, open: collector.withLock { $0.openCount })
        do { return try HARText.file(records.map { HAREntry($0, redaction) }, comment: comment) } catch {
            throw AsyncNetError(wrapping: error, as: .encodingFailed)
        }
    }

    /// Writes the log so far to a file, in one step: another process sees the former file or the whole new one. Only
    /// this user may read it. A symbolic link of this user or of root stays, and the file that it leads to is replaced.
    ///
    /// - Throws: `AsyncNetError` with code `.fileNotWritable`, also for a device or a pipe, or as ``data()``.
    public func write(to file: URL) async throws(AsyncNetError) {
        try await UserCode.run { [self] () async throws(AsyncNetError) in
            let data = try data()
            do { try FileSystem.writePrivately(data, to: FileSystem.resolved(file.path)) } catch {
                throw AsyncNetError(.fileNotWritable, "The HAR file cannot be written", underlyingError: error)
            }
        }
    }

    /// Removes all entries from memory. Entries that were written to a file stay there.
    public func removeAll() {
        memory.withLock { $0.removeAll() }
        stream?.removeWaiting()
    }

    /// Writes the entries that are not in the file yet, and closes it; later exchanges are not recorded. Does nothing
    /// in a recorder that does not stream. May be called again.
    ///
    /// - Throws: `AsyncNetError` with code `.fileNotWritable` if an entry could not be written. The file then has the
    ///   entries before that one, and none after it.
    public func finish() async throws(AsyncNetError) {
        guard let stream else { return }
        let open = collector.withLock { $0.openCount }
        try await UserCode.run { () async throws(AsyncNetError) in try stream.finish(open: open) }
    }
}

extension HARRecorder: ImmediateMonitor {
    package func receiveNow(_ event: SessionEvent) {
        guard let ended = collector.withLock({ $0.receive(event) }) else { return }
        if let stream { return stream.append(ended) }
        memory.withLock { $0.append(ended) }
    }
}
