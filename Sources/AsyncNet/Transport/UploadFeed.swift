import Foundation

private let highWaterMark = 256 * 1024
/// The writer is woken once this little is left: waking it for every piece costs more than the pieces.
private let lowWaterMark = 64 * 1024

/// A request's body on its way from an async sequence to a transport that reads it from a thread of its own.
///
/// The writer's side suspends while more than the high-water mark waits to be taken; the transport's side never blocks:
/// without bytes it is told to pause, and `onData` runs once there are some. Either side may end it, the first end
/// counts.
final class UploadFeed: Sendable {
    enum Piece: Equatable {
        case bytes(Int)
        case pause
        case end
        case failure
    }

    private struct State {
        /// What waits from `first` on, that one partly taken.
        var chunks: [Data] = []
        var first = 0
        var bufferedBytes = 0
        var end: Result<Void, AsyncNetError>?
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

    /// - Parameter onData: Called from the writer's side when a paused transport may read again.
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

    /// Why the body cannot be sent to its end, if so.
    var failure: AsyncNetError? {
        state.withLock { state in
            if case .failure(let error) = state.end { error } else { nil }
        }
    }

    /// The transfer is over; whoever writes may stop.
    func close() {
        let writer = state.withLock { state in
            state.isClosed = true
            (state.chunks, state.first, state.bufferedBytes) = ([], 0, 0)
            return state.writer.take()
        }
        writer?.resume()
    }

    // MARK: The writer's side

    /// Sends everything that the reader gives.
    func write(_ reader: BodyReader) async {
        do {
            while let chunk = try await reader.next() {
                guard await put(chunk) else { return }
            }
            finish(.success(()))
        } catch {
            finish(.failure(error))
        }
    }

    /// Waits while enough is there to be taken; `false` if the transport takes no more.
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

    private func finish(_ end: Result<Void, AsyncNetError>) {
        let wasStarving = state.withLock { state in
            defer { state.isStarving = false }
            state.end = state.end ?? end
            return state.isStarving
        }
        if wasStarving { onData() }
    }
}
