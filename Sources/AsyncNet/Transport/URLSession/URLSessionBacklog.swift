import Foundation

/// Passes a body to its pipe over URLSession on Linux, which cannot pause: while the reader is behind, bytes wait in
/// a file.
final class URLSessionBacklog: Sendable {
    private struct State {
        /// Whether the pipe takes no more bytes until the reader has read some.
        var isBehind = false
        var file: TemporaryFile?
        var written: Int64 = 0
        var read: Int64 = 0
        var received: Int64 = 0
        /// The result of a transfer that has ended while its last bytes wait in the file.
        var end: Result<Void, AsyncNetError>?
    }

    private let state = Locked(State())
    private let pipe: TransferPipe
    private let folder: URL
    /// How many unread bytes the file may hold.
    private let limit: Int64
    private let bodyLimit: Int64
    private static let largestRead = 256 * 1024

    init(_ pipe: TransferPipe, in folder: URL, limit: Int64, bodyLimit: Int64? = nil) {
        self.pipe = pipe
        self.folder = folder
        self.limit = limit
        self.bodyLimit = bodyLimit ?? .max
    }

    func receive(_ data: Data) {
        attempt { state throws(AsyncNetError) in
            state.received += Int64(data.count)
            guard state.isBehind else { return state.isBehind = pipe.receive(data) == .pause }
            guard !pipe.isEnded else { return }
            guard state.received <= bodyLimit else { throw AsyncNetError(bodyLargerThan: bodyLimit) }
            guard state.written - state.read + Int64(data.count) <= limit else {
                throw AsyncNetError(
                    .readerTooSlow,
                    "The response's body arrives faster than it is read, and more than \(limit) bytes wait in a file")
            }
            do throws(POSIXError) {
                let file = if let file = state.file { file } else { try TemporaryFile(in: folder.path) }
                state.file = file
                try file.append(data)
            } catch {
                throw Self.failure(error)
            }
            state.written += Int64(data.count)
        }
    }

    /// Called when the reader has read what the pipe had.
    func goOn() {
        attempt { state throws(AsyncNetError) in
            while let file = state.file, state.read < state.written {
                let chunk: Data
                do throws(POSIXError) {
                    chunk = try file.read(upTo: Self.largestRead, at: state.read)
                } catch {
                    throw Self.failure(error)
                }
                guard !chunk.isEmpty else { throw Self.failure(POSIXError(.EIO)) }
                state.read += Int64(chunk.count)
                if pipe.receive(chunk) == .pause { return }
            }
            let end = state.end
            state = State(received: state.received)
            if let end { pipe.finish(end) }
        }
    }

    func finish(_ result: Result<Void, AsyncNetError>) {
        state.withLock { state in if state.isBehind { state.end = state.end ?? result } else { pipe.finish(result) } }
    }

    private func attempt(_ step: (inout State) throws(AsyncNetError) -> Void) {
        do throws(AsyncNetError) {
            try state.withLock { state throws(AsyncNetError) in try step(&state) }
        } catch {
            pipe.abort(error)
        }
    }

    private static func failure(_ error: POSIXError) -> AsyncNetError {
        AsyncNetError(
            .temporaryFileFailed, "A temporary file for the response's body failed: \(SystemError.text(ofFile: error))",
            underlyingError: error)
    }
}
