import AsyncNetTesting
import Foundation

@testable import AsyncNet

/// A resource that knows ranges (RFC 9110 §14), without sockets.
struct RangeStub: Sendable {
    let data: Data
    var tag = "\"1\""

    func reply(to request: RecordedRequest) -> MockResponse {
        let headers: HTTPHeaders = ["ETag": tag, "Content-Length": "\(data.count)"]
        let isCurrent = request.headers["If-Range"].map { $0 == tag } ?? true
        guard isCurrent, let range = Self.range(request) else { return MockResponse(headers: headers, body: data) }
        guard range.first < data.count else { return .status(416, headers: ["Content-Range": "bytes */\(data.count)"]) }
        return part(range.first...min(range.last ?? .max, data.count - 1))
    }

    func part(_ bytes: ClosedRange<Int>) -> MockResponse {
        let headers: HTTPHeaders = [
            "ETag": tag, "Content-Length": "\(bytes.count)",
            "Content-Range": "bytes \(bytes.lowerBound)-\(bytes.upperBound)/\(data.count)",
        ]
        return MockResponse(206, headers: headers, body: Data(data[bytes]))
    }

    static func range(_ request: RecordedRequest) -> (first: Int, last: Int?)? {
        guard
            let ends = request.headers["Range"]?.dropFirst("bytes=".count).split(
                separator: "-", omittingEmptySubsequences: false)
        else { return nil }
        return Int(ends[0]).map { ($0, Int(ends[1])) }
    }

    /// Whether the request's range begins after the first byte.
    static func isLater(_ request: RecordedRequest) -> Bool { (range(request)?.first ?? 0) > 0 }
}

/// The observer of a body that is read outside of a run; calls closures at some steps.
final class SilentObserver: BodyObserver {
    private let onRead: @Sendable () -> Void
    private let isReading: @Sendable (Bool) -> Void

    init(didRead: @escaping @Sendable () -> Void = {}, isReading: @escaping @Sendable (Bool) -> Void = { _ in }) {
        (onRead, self.isReading) = (didRead, isReading)
    }

    func willRead() { isReading(true) }
    func willRest() { isReading(false) }
    func didRead(_ bytes: ReceivedBytes, of head: HTTPResponseHead) { onRead() }
    func willDeliver(_ chunk: Data) {}
    func didEnd(_ head: HTTPResponseHead) {}
    func didCollect(_ data: Data) {}
    var isSuspended: Bool { false }
    func waitWhileSuspended() async {}
    func settle(_ step: @Sendable () throws -> Void) throws { try step() }
    func fetch(into sink: any ResponseSink, _ change: (inout TransportRequest) -> Void) async throws {}
}

extension ResponseSink {
    func receive(
        _ body: TransportBody, of head: HTTPResponseHead, observer: any BodyObserver = SilentObserver()
    ) async throws {
        var body = ResponseBody(body, of: head, observer: observer)
        try await receive(&body)
    }
}
