import Foundation

/// Fetches the rest of a file in segments, several at a time, each in a run of its own through the same pipeline.
///
/// A segment of another version of the file, or a response that is no segment, ends the transfer, and so does a segment
/// that fails once the retriers have decided about it. What is there without a gap then stays.
struct SegmentedTransfer: Sendable {
    /// Sent as `If-Range`.
    let validator: String
    let file: OutputFile
    /// Of the response that the download began with.
    let head: HTTPResponseHead
    /// The download's.
    let observer: any BodyObserver
    /// Called with the number of bytes that are there without a gap, as that grows; in order.
    let keep: @Sendable (Int64) throws -> Void

    /// The file on the server is another version than the one that was begun.
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

    /// Notes are written this often, in bytes.
    private static let noteInterval: Int64 = 16 << 20

    /// - Parameter received: What has come so far.
    /// - Returns: The number of bytes that are there without a gap, and the error if these are not all.
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
                // The first failure ends the others, which `waitForAll` would let go on to the end of the file.
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
            let headers = request.head.headers
            request.head.headers.set(.acceptEncoding(headers["Accept-Encoding"] ?? "identity"))
            let range = ByteRange.closed(segment.lowerBound...segment.upperBound - 1)
            request.head.headers.set(HTTPHeader(name: "Range", value: range.headerValue))
            request.head.headers.set(HTTPHeader(name: "If-Range", value: validator))
        }
        guard !sink.isOtherVersion else { throw OtherVersion() }
        try finish(segment, progress)
    }

    /// Under the lock, so that progress does not go back.
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
