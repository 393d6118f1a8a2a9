import Foundation

/// Fetches the rest of a file in segments, several at a time, each in a run of its own through the same stations.
///
/// The transfer fails if a segment belongs to another version of the file, if a response is not the requested segment,
/// or if a segment fails and no retrier wants another attempt. The bytes before the first gap are then kept.
struct SegmentedTransfer: Sendable {
    /// Sent as `If-Range`.
    let validator: String
    let file: OutputFile
    let head: HTTPResponseHead
    /// Counts the bytes of all segments.
    let observer: any BodyObserver
    /// Called with the number of bytes before the first gap, in increasing order.
    let keep: @Sendable (Int64) throws -> Void

    struct OtherVersion: Error {}

    private struct Progress {
        var plan: SegmentPlan
        var received: ReceivedBytes
        var kept: Int64
    }

    private final class Shared: Sendable {
        let state: Locked<Progress>
        init(_ progress: Progress) { state = Locked(progress) }
    }

    /// After how many bytes the notes are written again.
    private static let noteInterval: Int64 = 16 << 20

    /// - Returns: The number of bytes before the first gap, and the error if there is a gap.
    func run(_ plan: SegmentPlan, segments: Int, received: ReceivedBytes) async -> (
        contiguous: Int64, failure: (any Error)?
    ) {
        let progress = Shared(Progress(plan: plan, received: received, kept: plan.contiguous))
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<segments {
                    group.addTask {
                        while let segment = progress.state.withLock({ $0.plan.take() }) {
                            try await load(segment, progress)
                        }
                    }
                }
                // The first failure cancels the other segments; `waitForAll` would wait for them.
                for try await _ in group {}
            }
            return (progress.state.withLock { $0.plan.contiguous }, nil)
        } catch {
            return (progress.state.withLock { $0.plan.contiguous }, error)
        }
    }

    private func load(_ segment: Range<Int64>, _ progress: Shared) async throws {
        let total = progress.state.withLock { $0.plan.total }
        let sink = SegmentSink(segment, total: total, validator: validator) { chunk, position in
            do throws(POSIXError) { try file.write(chunk, at: position) } catch {
                throw DownloadFile.unwritable(nil, error)
            }
            try report(chunk.count, progress)
            if observer.isSuspended { await observer.waitWhileSuspended() }
        }
        try await observer.fetch(into: sink) { [validator] request in
            let range = ByteRange.closed(segment.lowerBound...segment.upperBound - 1)
            request.head.headers.update(HTTPHeader(name: "Range", value: range.headerValue))
            request.head.headers.update(HTTPHeader(name: "If-Range", value: validator))
        }
        guard !sink.isOtherVersion else { throw OtherVersion() }
        try finish(segment, progress)
    }

    /// Reports while holding the lock, so that reported progress never decreases.
    private func report(_ count: Int, _ progress: Shared) throws {
        try progress.state.withLock { state in
            state.received.count += Int64(count)
            try observer.didRead(state.received, of: head)
        }
    }

    private func finish(_ segment: Range<Int64>, _ progress: Shared) throws {
        try progress.state.withLock { state in
            state.plan.finish(segment)
            guard state.plan.contiguous - state.kept >= Self.noteInterval else { return }
            state.kept = state.plan.contiguous
            try keep(state.kept)
        }
    }
}
