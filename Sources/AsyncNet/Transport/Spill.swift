import Foundation

/// Where a transport that cannot pause keeps what its reader has not taken yet, once that is too much for memory: a
/// file without a name.
///
/// Bytes come out in the order in which they went in. One side adds, the other takes, at the same time if need be: what
/// is written lies behind what may be read. Adding tells of the bytes only once they are written.
final class Spill: Sendable {
    struct Settings: Sendable {
        var folder: URL
        /// How many bytes may wait.
        var limit: Int64
    }

    private struct State {
        var written: Int64 = 0
        var taken: Int64 = 0
    }

    private let file: TemporaryFile
    private let limit: Int64
    private let state = Locked(State())

    init(_ settings: Settings) throws(AsyncNetError) {
        limit = settings.limit
        do { file = try TemporaryFile(in: settings.folder.path) } catch { throw Self.failure(error) }
    }

    var isEmpty: Bool { state.withLock { $0.written == $0.taken } }

    func add(_ chunk: Data) throws(AsyncNetError) {
        guard state.withLock({ $0.written - $0.taken }) + Int64(chunk.count) <= limit else {
            throw AsyncNetError(
                .readerTooSlow,
                "The response's body is not read as fast as it comes, and more than \(limit) bytes wait to be read")
        }
        do { try file.append(chunk) } catch { throw Self.failure(error) }
        state.withLock { $0.written += Int64(chunk.count) }
    }

    /// Up to 256 KiB of what was added; `nil` if all has been taken.
    func take() throws(AsyncNetError) -> Data? {
        let (offset, count) = state.withLock { ($0.taken, min($0.written - $0.taken, 256 * 1024)) }
        guard count > 0 else { return nil }
        do {
            let chunk = try file.read(upTo: Int(count), at: offset)
            state.withLock { $0.taken += Int64(chunk.count) }
            return chunk.isEmpty ? nil : chunk
        } catch {
            throw Self.failure(error)
        }
    }

    private static func failure(_ error: POSIXError) -> AsyncNetError {
        AsyncNetError(
            .temporaryFileFailed, "A temporary file for the response's body failed: \(SystemError.text(error))",
            underlyingError: error)
    }
}
