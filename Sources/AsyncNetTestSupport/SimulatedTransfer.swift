import AsyncNet
import Foundation

/// A transfer without sockets, for a ``StubTransport`` and a ``ReplayTransport``: reads the request's body, sleeps and
/// sends events.
struct SimulatedTransfer: Sendable {
    private let request: TransportRequest
    private let clock: (any Clock<Duration>)?

    /// - Parameter clock: The clock of delays; `nil` for the session's clock if it is a ``TestClock``, else real time.
    init(_ request: TransportRequest, clock: (any Clock<Duration>)? = nil) {
        (self.request, self.clock) = (request, clock)
    }

    /// Tells the session's ``TestClock`` that the transfer does no I/O: the clock sees all its tasks, and need not stand
    /// still for the transfer.
    func begin() { request.supervision?.becomeInternal() }

    /// The executor on which the session's ``TestClock`` sees tasks; `nil` without such a clock.
    var executor: (any TaskExecutor)? { request.supervision?.clock.executor }

    /// Reads the complete body of the request, as a server would.
    ///
    /// - Parameter isKept: Whether the bytes are needed; a body in memory is returned in any case.
    func readBody(isKept: Bool = true) async throws -> Data {
        if let data = request.body.data {
            let count = Int64(data.count)
            if count > 0 { request.onEvent?(.sentBody(bytes: count, total: count)) }
            return data
        }
        var (body, count) = (Data(), Int64(0))
        for try await chunk in request.body.chunks {
            if isKept { body.append(chunk) }
            count += Int64(chunk.count)
            request.onEvent?(.sentBody(bytes: count, total: request.body.length))
        }
        return body
    }

    func pause(_ delay: Duration) async throws {
        guard delay > .zero else { return }
        if let clock { return try await clock.sleep(for: delay) }
        if let supervision = request.supervision { return try await supervision.clock.sleep(for: delay) }
        try await Task.sleep(for: delay)
    }

    func sendInformational(_ statusCode: Int, _ headers: HTTPHeaders) {
        request.onEvent?(
            .informational(HTTPResponseHead(statusCode: statusCode, url: request.head.url, headers: headers)))
    }

    func sendTrailers(_ trailers: HTTPHeaders) { if !trailers.isEmpty { request.onEvent?(.trailers(trailers)) } }

    /// Whether a response with this status has a body (RFC 9112 §6.3).
    func hasBody(_ statusCode: Int) -> Bool { request.head.method != .head && ![204, 304].contains(statusCode) }

    /// Suspends until the task is cancelled, then throws. Meanwhile a clock may move to the timeout that cancels it.
    func waitForCancellation() async throws {
        request.supervision?.clock.begin(.waiting)
        defer { request.supervision?.clock.end(.waiting) }
        let (never, end) = AsyncStream.makeStream(of: Void.self)
        for await _ in never {}
        withExtendedLifetime(end) {}
        throw CancellationError()
    }
}
