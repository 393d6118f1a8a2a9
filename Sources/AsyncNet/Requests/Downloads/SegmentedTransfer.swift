import Foundation

/// Fetches the rest of a file in parts, several at a time, each a request of its own over the same pipeline.
///
/// A part that is not of the version that was begun, or is none at all, ends the transfer, and so does a part that
/// fails: the retriers of the request have had their say about it. What is there without a gap then stays.
struct SegmentedTransfer: Sendable {
    /// Makes the request for a part.
    typealias Fetch = @Sendable (ByteRange, _ validator: String) async -> StreamRequest

    let fetch: Fetch
    let validator: String
    let file: OutputFile
    let watch: BodyWatch
    /// Told of how much is there without a gap, as that grows; in order.
    let keep: @Sendable (Int64) throws -> Void

    /// What is on the server now is not what was begun.
    struct OtherVersion: Error {}

    private struct Progress {
        var plan: SegmentPlan
        var received: ReceivedBytes
        var kept: Int64
    }

    /// Notes are written this often, in bytes.
    private static let noteInterval: Int64 = 16 << 20

    /// - Parameter received: What has come so far.
    /// - Returns: How much is there without a gap, and why that is not all of it if it is not.
    func run(_ plan: SegmentPlan, segments: Int, received: ReceivedBytes) async -> (
        contiguous: Int64, failure: (any Error)?
    ) {
        let progress = Shared(Progress(plan: plan, received: received, kept: plan.contiguous))
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<segments {
                    group.addTask {
                        while let part = progress.state.withLock({ $0.plan.take() }) { try await load(part, progress) }
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

    private final class Shared: Sendable {
        let state: Locked<Progress>
        init(_ progress: Progress) { state = Locked(progress) }
    }

    private func load(_ part: Range<Int64>, _ progress: Shared) async throws {
        let request = await fetch(.closed(part.lowerBound...part.upperBound - 1), validator)
        let head = try await request.head
        try check(head, part, total: progress.state.withLock { $0.plan.total })
        var position = part.lowerBound
        for try await chunk in request.chunks {
            guard position + Int64(chunk.count) <= part.upperBound else { throw tooLong(part) }
            do { try file.write(chunk, at: position) } catch { throw DownloadSink.unwritable(nil, error) }
            position += Int64(chunk.count)
            try tell(chunk.count, progress)
            try await watch.holdBack()
        }
        guard position == part.upperBound else {
            throw AsyncNetError(.bodyEndedEarly, "A part of the download does not have the length it should have")
        }
        try finish(part, progress)
    }

    private func tooLong(_ part: Range<Int64>) -> AsyncNetError {
        AsyncNetError(
            .badServerResponse, "A part of the download is longer than the \(part.count) bytes of its Content-Range")
    }

    private func check(_ head: HTTPResponseHead, _ part: Range<Int64>, total: Int64) throws {
        guard head.statusCode != 200, head.statusCode != 412 else { throw OtherVersion() }
        guard head.statusCode == 206 else {
            throw AsyncNetError(
                .unacceptableStatus, "The server answered \(head.statusCode) when asked for a part of the download")
        }
        let range = head.onlyValue(of: .contentRange).flatMap(ContentRange.init)
        guard range?.bytes == part.lowerBound...part.upperBound - 1, range?.total == nil || range?.total == total,
            head.value(for: "Content-Encoding") == nil,
            IfRange.isSameVersion(head.headers, as: validator)
        else {
            throw AsyncNetError(.badServerResponse, "The server's Content-Range is not the part that was asked for")
        }
    }

    /// Under the lock, so that progress does not go back.
    private func tell(_ count: Int, _ progress: Shared) throws {
        try progress.state.withLock { state in
            state.received.count += Int64(count)
            try watch.hasRead(state.received)
        }
    }

    private func finish(_ part: Range<Int64>, _ progress: Shared) throws {
        try progress.state.withLock { state in
            state.plan.finish(part)
            guard state.plan.contiguous - state.kept >= Self.noteInterval else { return }
            state.kept = state.plan.contiguous
            try keep(state.kept)
        }
    }
}
