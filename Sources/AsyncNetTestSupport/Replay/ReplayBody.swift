import AsyncNet
import Foundation

/// The recorded chunks of a body with their delays, then its trailers or its failure.
struct ReplayBody: AsyncSequence, Sendable {
    private let response: RecordedExchange.Response
    private let pace: ReplayPace
    private let transfer: SimulatedTransfer

    init(_ response: RecordedExchange.Response, _ pace: ReplayPace, _ transfer: SimulatedTransfer) {
        (self.response, self.pace, self.transfer) = (response, pace, transfer)
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(rest: response.chunks[...], response: response, pace: pace, transfer: transfer)
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var rest: ArraySlice<RecordedExchange.Chunk>
        fileprivate let response: RecordedExchange.Response
        fileprivate let pace: ReplayPace
        fileprivate let transfer: SimulatedTransfer
        private var isEnded = false

        fileprivate init(
            rest: ArraySlice<RecordedExchange.Chunk>, response: RecordedExchange.Response, pace: ReplayPace,
            transfer: SimulatedTransfer
        ) {
            (self.rest, self.response, self.pace, self.transfer) = (rest, response, pace, transfer)
        }

        private static let truncated = AsyncNetError(
            .bodyEndedEarly, "The recording has only the beginning of the body, which exceeded its bodyLimit")

        mutating func next() async throws -> Data? {
            try Task.checkCancellation()
            if let chunk = rest.popFirst() {
                try await transfer.pause(pace.delay(chunk.delay))
                return chunk.data
            }
            if let failure = response.failure { throw try await transfer.error(of: failure) }
            if response.isBodyTruncated { throw Self.truncated }
            if !isEnded { transfer.sendTrailers(response.trailers) }
            isEnded = true
            return nil
        }
    }
}

extension SimulatedTransfer {
    /// The error of a recorded failure. If the transfer was cancelled, waits until it is cancelled again.
    func error(of failure: RecordedExchange.Failure) async throws -> AsyncNetError {
        if failure.code == .cancelled { try await waitForCancellation() }
        return failure.error
    }
}
