import Foundation
import Testing

@testable import AsyncNet

/// Which ends of a WebSocket another connection follows, and when.
@Suite("WebSocket reconnection")
struct WebSocketReconnectionTests {
    private func delay(
        _ reconnection: WebSocketReconnection, _ code: AsyncNetError.Code = .connectionLost,
        close: UInt16? = nil, failures: Int = 1, jitter: Double = 1
    ) -> Duration? {
        reconnection.delay(
            after: AsyncNetError(code), closeCode: close.map { WebSocketCloseCode(rawValue: $0) },
            failures: failures, jitter: jitter)
    }

    @Test("With .never neither a lost connection nor a close code leads to a reconnection")
    func never() {
        #expect(delay(.never) == nil)
        #expect(!WebSocketReconnection.never.reopens(after: .goingAway))
    }

    @Test(
        "The delay doubles with each failure up to maximumDelay, and half of it is random",
        arguments: [
            (1, 0, 500), (1, 1, 1000), (2, 0, 1000), (2, 1, 2000), (3, 0.5, 3000), (4, 1, 8000), (5, 1, 10_000),
            (50, 1, 10_000), (50, 0, 5000),
        ] as [(Int, Double, Int)])
    func delays(_ failures: Int, _ jitter: Double, _ milliseconds: Int) {
        let reconnection = WebSocketReconnection.always(maximumDelay: .seconds(10), limit: nil)
        #expect(delay(reconnection, failures: failures, jitter: jitter) == .milliseconds(milliseconds))
    }

    @Test("After more failures than the limit no reconnection follows, and a delay is from zero to maximumDelay")
    func limit() {
        let reconnection = WebSocketReconnection.always(limit: 3)
        #expect((1...5).map { delay(reconnection, failures: $0) != nil } == [true, true, true, false, false])
        #expect(delay(.always(delay: .seconds(-1))) == .zero)
        #expect(delay(.always(delay: .seconds(9), maximumDelay: .seconds(2))) == .seconds(2))
    }

    @Test(
        "Retry-After of a refused handshake delays the reconnection, and beyond maximumDelay prevents it",
        arguments: [
            (503, "20", 20), (429, "20", 20), (503, "0", 1), (503, "60", 60), (503, "61", nil), (503, "soon", 1),
            (401, "5", nil),
        ]
            as [(Int, String, Int?)])
    func retryAfter(_ status: Int, _ value: String, _ seconds: Int?) throws {
        let url = try #require(URL(string: "http://a/"))
        let head = HTTPResponseHead(statusCode: status, url: url, headers: ["Retry-After": value])
        let refused = TransferOutcome(
            request: TransportRequest(head: HTTPRequestHead(method: .get, url: url)), head: head, data: nil,
            metrics: RequestMetrics(), trailers: nil)
        let error = AsyncNetError(.webSocketHandshakeFailed).with(refused.errorContext)
        let delay = WebSocketReconnection.always().delay(after: error, closeCode: nil, failures: 1, jitter: 1)
        #expect(delay == seconds.map { .seconds($0) })
    }

    @Test(
        "Only the close codes 1001, 1006 and 1011 to 1014 lead to a reconnection",
        arguments: [1000, 1001, 1002, 1003, 1006, 1007, 1008, 1009, 1011, 1012, 1013, 1014, 4000] as [UInt16])
    func closeCodes(_ code: UInt16) {
        let passes = [1001, 1006, 1011, 1012, 1013, 1014].contains(code)
        #expect((delay(.always(), .webSocketClosed, close: code) != nil) == passes)
        #expect(WebSocketReconnection.always().reopens(after: WebSocketCloseCode(rawValue: code)) == passes)
    }

    @Test(
        "Only transient errors lead to a reconnection",
        arguments: [
            (.connectionLost, true), (.cannotConnect, true), (.timedOut, true), (.deadlineExceeded, true),
            (.circuitOpen, true), (.webSocketHandshakeFailed, false),
            (.webSocketProtocolViolated, false), (.certificateNotTrusted, false), (.cancelled, false),
            (.sessionFinished, false), (.transportFailed, false),
        ] as [(AsyncNetError.Code, Bool)])
    func errors(_ code: AsyncNetError.Code, _ passes: Bool) {
        #expect((delay(.always(), code) != nil) == passes)
    }
}
