import Foundation

/// Passes a request's body from an async sequence to a transport, which reads on its own thread.
///
/// The writer suspends when more bytes are buffered than the high-water mark, until at most the low-water mark is left.
/// The transport never blocks: if there are no bytes, `read` returns `.pause`, and `onData` is called when there are
/// some. Either side may end the feed; the first end counts.
package final class UploadFeed: Sendable {
    package enum Piece: Equatable {
        case bytes(Int)
        case pause
        case end
        case failure
    }

    private struct State {
        var chunks: ArraySlice<Data> = []
        var bufferedBytes = 0
        var end: Result<HTTPHeaders, AsyncNetError>?
        var isStarving = false
        var isClosed = false
        var writer: Task<Void, Never>?

        static let highWaterMark = 256 * 1024
        /// The writer is resumed when at most this many bytes are buffered: to resume it for each read costs more than
        /// the reads.
        static let lowWaterMark = 64 * 1024

        mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Piece {
            guard bufferedBytes == 0 else { return .bytes(take(into: buffer)) }
            switch end {
            case .success: return .end
            case .failure: return .failure
            case nil:
                isStarving = true
                return .pause
            }
        }

        private mutating func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            var filled = 0
            while filled < buffer.count, let chunk = chunks.first {
                let count = chunk.copyBytes(to: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
                filled += count
                guard count == chunk.count else {
                    chunks[chunks.startIndex] = chunk.dropFirst(count)
                    break
                }
                _ = chunks.takeFirst(leaving: Data())
            }
            bufferedBytes -= filled
            return filled
        }

        /// - Returns: Whether the transport has paused, so that `onData` must be called.
        mutating func write(_ chunk: Data) -> Bool {
            guard !isClosed else { return false }
            chunks.append(chunk)
            bufferedBytes += chunk.count
            return takeStarving()
        }

        mutating func takeStarving() -> Bool {
            defer { isStarving = false }
            return isStarving
        }
    }

    private let state = AwaitedState(State())
    private let onData: @Sendable () -> Void

    /// - Parameter onData: Called by the writer's task when a paused transport can read again.
    init(onData: @escaping @Sendable () -> Void) { self.onData = onData }

    /// Begins the task that writes, unless the feed is closed; `close` cancels the task.
    func begin(_ makeWriter: () -> Task<Void, Never>) {
        state.change { state in if !state.isClosed { state.writer = makeWriter() } }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Piece { state.change { $0.read(into: buffer) } }

    var failure: AsyncNetError? {
        state.read { state in
            if case .failure(let error) = state.end { error } else { nil }
        }
    }

    var trailers: HTTPHeaders { state.read { (try? $0.end?.get()) ?? [:] } }

    func close() {
        let writer = state.change { state in
            state.isClosed = true
            state.chunks = []
            state.bufferedBytes = 0
            return state.writer.take()
        }
        writer?.cancel()
    }

    /// Writes all chunks of the reader, and then the body's trailers; does not begin if the feed is closed already.
    func write(_ reader: BodyReader) async {
        guard !isClosed else { return }
        do {
            while let chunk = try await reader.next() {
                if !chunk.isEmpty { await put(chunk) }
                if isClosed { return }
            }
            finish(.success(try await reader.trailers()))
        } catch {
            finish(.failure(error))
        }
    }

    private var isClosed: Bool { state.read { $0.isClosed } }

    private func put(_ chunk: Data) async {
        let (isStarving, isFull) = state.change { ($0.write(chunk), $0.bufferedBytes > State.highWaterMark) }
        if isStarving { onData() }
        if isFull { await state.wait { $0.isClosed || $0.bufferedBytes <= State.lowWaterMark } }
    }

    private func finish(_ end: Result<HTTPHeaders, AsyncNetError>) {
        let wasStarving = state.change { state in
            state.end = state.end ?? end
            return state.takeStarving()
        }
        if wasStarving { onData() }
    }
}
