import Foundation

private let highWaterMark = 256 * 1024
/// The low-water mark in bytes. The writer is resumed when fewer bytes are buffered: resuming it for each read costs
/// more than the reads.
private let lowWaterMark = 64 * 1024

/// Passes a request's body from an async sequence to a transport, which reads on its own thread.
///
/// The writer suspends while more bytes are buffered than the high-water mark. The transport never blocks: if there are
/// no bytes, `read` returns `.pause`, and `onData` is called when there are some. Either side may end the feed; the
/// first end counts.
package final class UploadFeed: Sendable {
    package enum Piece: Equatable {
        case bytes(Int)
        case pause
        case end
        case failure
    }

    private struct State {
        /// The buffered chunks, of which those before `first` have been read.
        var chunks: [Data] = []
        var first = 0
        var bufferedBytes = 0
        var end: Result<HTTPHeaders, AsyncNetError>?
        var isStarving = false
        var isClosed = false
        var writer: CheckedContinuation<Void, Never>?

        mutating func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            var filled = 0
            while filled < buffer.count, first < chunks.count {
                let count = chunks[first].copyBytes(to: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
                filled += count
                guard count == chunks[first].count else {
                    chunks[first] = chunks[first].dropFirst(count)
                    break
                }
                chunks[first] = Data()
                first += 1
            }
            if first == chunks.count { (chunks, first) = ([], 0) }
            bufferedBytes -= filled
            return filled
        }
    }

    private let state = Locked(State())
    private let onData: @Sendable () -> Void

    /// - Parameter onData: Called by the writer's task when a paused transport can read again.
    init(onData: @escaping @Sendable () -> Void) { self.onData = onData }

    // MARK: The transport's side

    /// Moves the next bytes into `buffer`.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Piece {
        let (piece, writer) = state.withLock { state -> (Piece, CheckedContinuation<Void, Never>?) in
            guard state.bufferedBytes > 0 else {
                switch state.end {
                case .success: return (.end, nil)
                case .failure: return (.failure, nil)
                case nil:
                    state.isStarving = true
                    return (.pause, nil)
                }
            }
            return (.bytes(state.take(into: buffer)), state.bufferedBytes <= lowWaterMark ? state.writer.take() : nil)
        }
        writer?.resume()
        return piece
    }

    /// The error that the sequence threw, if it did.
    var failure: AsyncNetError? {
        state.withLock { state in
            if case .failure(let error) = state.end { error } else { nil }
        }
    }

    /// What follows the body after its end; none before.
    var trailers: HTTPHeaders { state.withLock { (try? $0.end?.get()) ?? [:] } }

    /// Ends the feed: the transfer is over, and the writer stops.
    func close() {
        let writer = state.withLock { state in
            state.isClosed = true
            (state.chunks, state.first, state.bufferedBytes) = ([], 0, 0)
            return state.writer.take()
        }
        writer?.resume()
    }

    // MARK: The writer's side

    /// Writes all chunks of the reader, and then the body's trailers; does not begin if the feed is closed already.
    func write(_ reader: BodyReader) async {
        guard !state.withLock({ $0.isClosed }) else { return }
        do {
            while let chunk = try await reader.next() {
                guard await put(chunk) else { return }
            }
            finish(.success(try await reader.trailers()))
        } catch {
            finish(.failure(error))
        }
    }

    /// Appends a chunk and suspends while the buffer is full; `false` if the transport has closed the feed.
    private func put(_ chunk: Data) async -> Bool {
        guard !chunk.isEmpty else { return state.withLock { !$0.isClosed } }
        await withCheckedContinuation { continuation in
            let (goesOn, wasStarving) = state.withLock { state in
                guard !state.isClosed else { return (true, false) }
                defer { state.isStarving = false }
                state.chunks.append(chunk)
                state.bufferedBytes += chunk.count
                if state.bufferedBytes > highWaterMark { state.writer = continuation }
                return (state.bufferedBytes <= highWaterMark, state.isStarving)
            }
            if goesOn { continuation.resume() }
            if wasStarving { onData() }
        }
        return state.withLock { !$0.isClosed }
    }

    private func finish(_ end: Result<HTTPHeaders, AsyncNetError>) {
        let wasStarving = state.withLock { state in
            defer { state.isStarving = false }
            state.end = state.end ?? end
            return state.isStarving
        }
        if wasStarving { onData() }
    }
}
