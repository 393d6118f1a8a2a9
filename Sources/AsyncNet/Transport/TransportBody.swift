public import Foundation

/// A response's body: the chunks as they arrive. It can be read once, by a single task.
///
/// Releasing the body, or cancelling the task that reads it, ends the transfer.
public struct TransportBody: AsyncSequence, Sendable {
    private enum Source: Sendable {
        case data(Data)
        case pipe(TransferPipe.Lease)
        case sequence(@Sendable () -> () async throws -> Data?)
    }

    private let source: Source

    /// A body in memory.
    public init(_ data: Data) { source = .data(data) }

    /// A body from a sequence of chunks. An error of the sequence is thrown to whoever reads the body.
    public init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) where Chunks.Element == Data {
        source = .sequence {
            var iterator = chunks.makeAsyncIterator()
            return { try await iterator.next(isolation: #isolation) }
        }
    }

    /// A body whose chunks come from a closure that `makeNext` makes for each iterator.
    init(reading makeNext: @escaping @Sendable () -> () async throws -> Data?) { source = .sequence(makeNext) }

    init(_ pipe: TransferPipe) { source = .pipe(TransferPipe.Lease(pipe)) }

    /// Whether the transfer is known to have ended; always `false` for a body that was made from a sequence.
    var isOver: Bool {
        switch source {
        case .data: true
        case .pipe(let lease): lease.pipe.isEnded
        case .sequence: false
        }
    }

    package var data: Data? { if case .data(let data) = source { data } else { nil } }

    /// The iterator over the chunks. Make a single iterator: the body can be read once.
    public func makeAsyncIterator() -> AsyncIterator {
        switch source {
        case .data(let data): AsyncIterator(first: data)
        case .pipe(let lease): AsyncIterator(lease: lease)
        case .sequence(let makeNext): AsyncIterator(other: makeNext())
        }
    }

    /// The iterator of a ``TransportBody``.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var first: Data?
        private var batch: ArraySlice<Data> = []
        private let lease: TransferPipe.Lease?
        private let other: (() async throws -> Data?)?

        fileprivate init(
            first: Data? = nil, lease: TransferPipe.Lease? = nil, other: (() async throws -> Data?)? = nil
        ) {
            self.first = first
            self.lease = lease
            self.other = other
        }

        /// The whole body, if it is in memory and no part has been read.
        mutating func takeWhole() -> Data? { lease == nil && other == nil ? first.take() : nil }

        /// The next chunk, never empty; `nil` at the end of the body.
        ///
        /// - Throws: ``AsyncNetError`` if the transfer failed or the task is cancelled. A body made from a sequence
        ///   throws the errors of that sequence.
        public mutating func next() async throws -> Data? {
            while true {
                if let chunk = first.take() ?? batch.popFirst() {
                    if chunk.isEmpty { continue }
                    return chunk
                }
                if let chunks = try await lease?.pipe.nextBatch() {
                    batch = chunks[...]
                } else if let chunk = try await other?() {
                    first = chunk
                } else {
                    return nil
                }
            }
        }
    }
}
