import Foundation

/// A temporary file without a name that holds bytes which a reader has not taken yet.
///
/// One thread appends while another reads; `TransferPipeState` counts which bytes are written and which are read.
final class SpillFile: Sendable {
    struct Settings: Sendable {
        var folder: URL
        /// How many unread bytes the file may hold.
        var limit: Int64
    }

    private let file: TemporaryFile

    init(in folder: URL) throws(AsyncNetError) {
        do { file = try TemporaryFile(in: folder.path) } catch { throw Self.failure(error) }
    }

    func append(_ bytes: Data) throws(AsyncNetError) {
        do { try file.append(bytes) } catch { throw Self.failure(error) }
    }

    /// Up to `count` bytes from `offset` on, at least one.
    func read(upTo count: Int, at offset: Int64) throws(AsyncNetError) -> Data {
        let bytes: Data
        do { bytes = try file.read(upTo: count, at: offset) } catch { throw Self.failure(error) }
        guard !bytes.isEmpty else { throw Self.failure(POSIXError(.EIO)) }
        return bytes
    }

    private static func failure(_ error: POSIXError) -> AsyncNetError {
        AsyncNetError(
            .temporaryFileFailed, "A temporary file for the response's body failed: \(SystemError.text(error))",
            underlyingError: error)
    }
}
