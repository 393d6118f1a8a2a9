import Foundation

/// Writes the bytes of one segment of a download to their positions in the file.
final class SegmentSink: ResponseSink {
    private let segment: Range<Int64>
    private let total: Int64
    private let validator: String
    private let put: @Sendable (Data, _ position: Int64) async throws -> Void
    private let state = Locked((hasBegun: false, isOtherVersion: false))

    init(
        _ segment: Range<Int64>, total: Int64, validator: String,
        put: @escaping @Sendable (Data, _ position: Int64) async throws -> Void
    ) {
        (self.segment, self.total, self.validator, self.put) = (segment, total, validator, put)
    }

    /// Whether the server has another version: it responded with the whole file (200) or refused the range (412).
    var isOtherVersion: Bool { state.withLock { $0.isOtherVersion } }
    func canBeSentAgain(after error: AsyncNetError?) -> Bool { state.withLock { !$0.hasBegun } }

    func receive(_ body: inout ResponseBody) async throws {
        let head = body.head
        let isOtherVersion = head.statusCode == 200 || head.statusCode == 412
        state.withLock { $0 = (true, isOtherVersion) }
        guard !isOtherVersion else { return }
        try check(head)
        var position = segment.lowerBound
        while let chunk = try await body.next() {
            guard position + Int64(chunk.count) <= segment.upperBound else {
                throw AsyncNetError(
                    .badServerResponse,
                    "A segment of the download is longer than the \(segment.count) bytes of its Content-Range")
            }
            body.rest()
            try await put(chunk, position)
            position += Int64(chunk.count)
        }
        guard position == segment.upperBound else {
            throw AsyncNetError(.bodyEndedEarly, "A segment of the download is shorter than its Content-Range")
        }
    }

    private func check(_ head: HTTPResponseHead) throws(AsyncNetError) {
        guard head.statusCode == 206 else {
            throw AsyncNetError(
                .unacceptableStatus, "The server responded with \(head.statusCode) to a request for a segment")
        }
        let range = head.values(of: .contentRange).only.flatMap(ContentRange.init)
        guard range?.bytes == segment.lowerBound...segment.upperBound - 1,
            range?.total == nil || range?.total == total, head.value(for: "Content-Encoding") == nil,
            IfRange.isSameVersion(head.headers, as: validator)
        else {
            throw AsyncNetError(.badServerResponse, "The server's 206 response is not the requested segment")
        }
    }
}
