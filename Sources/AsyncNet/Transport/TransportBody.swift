public import Foundation

/// A response's body: chunks as they arrive, pulled by whoever reads it, once.
///
/// Dropping the body, or cancelling the task that reads it, ends the transfer.
public struct TransportBody: AsyncSequence, Sendable {
    private enum Source: Sendable {
        case data(Data)
        case pipe(TransferPipe.Lease)
        case sequence(@Sendable () -> () async throws -> Data?)
    }

    private let source: Source

    /// A body that is there already.
    public init(_ data: Data) { source = .data(data) }

    /// A body from any sequence of data.
    public init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) where Chunks.Element == Data {
        source = .sequence {
            var iterator = chunks.makeAsyncIterator()
            return { try await iterator.next(isolation: #isolation) }
        }
    }

    /// What comes out of a pipe that a transport writes to.
    init(_ pipe: TransferPipe) { source = .pipe(TransferPipe.Lease(pipe)) }

    /// Whether all of it has arrived, or it has ended otherwise; `false` also where that is not known.
    package var isOver: Bool {
        switch source {
        case .data: true
        case .pipe(let lease): lease.pipe.isEnded
        case .sequence: false
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        switch source {
        case .data(let data): AsyncIterator(batch: [data])
        case .pipe(let lease): AsyncIterator(lease: lease)
        case .sequence(let makeNext): AsyncIterator(other: makeNext())
        }
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        private var batch: ArraySlice<Data>
        private let lease: TransferPipe.Lease?
        private let other: (() async throws -> Data?)?

        fileprivate init(
            batch: [Data] = [], lease: TransferPipe.Lease? = nil, other: (() async throws -> Data?)? = nil
        ) {
            self.batch = batch[...]
            self.lease = lease
            self.other = other
        }

        /// Has `relay` called with what comes next, on the transport's thread, for as long as it wants; `false` if that
        /// cannot be now.
        mutating func relay(_ relay: @escaping @Sendable (Data) -> Bool) async -> Bool {
            guard batch.isEmpty, let lease else { return false }
            return await lease.pipe.relay(relay)
        }

        /// The next chunk, never empty; `nil` at the end.
        public mutating func next() async throws -> Data? {
            while true {
                if let chunk = batch.popFirst() {
                    if chunk.isEmpty { continue }
                    return chunk
                }
                if let chunks = try await lease?.pipe.nextBatch() {
                    batch = chunks[...]
                } else if let chunk = try await other?() {
                    batch = [chunk]
                } else {
                    return nil
                }
            }
        }
    }
}
