import Testing

@testable import AsyncNet

/// Whether a request may go out on a connection, and again on another (RFC 9110 §9.2.2): the machine alone.
@Suite("Resend policy")
struct ResendPolicyTests {
    private typealias Connection = ResendPolicy.Connection
    private static let new = Connection(isNew: true)
    private static let kept = Connection(isNew: false)
    private static let keptHTTP2 = Connection(isNew: false, isHTTP2: true)

    @Test(
        "A first sending needs a connection that is new, or open without bytes of no response",
        arguments: [true, false])
    func first(_ isIdempotent: Bool) {
        for (connection, permission) in [
            (Self.new, ResendPolicy.Permission.send), (Self.kept, .send), (Self.keptHTTP2, .send),
            (Connection(isNew: false, isClosed: true), .refuse), (Connection(isNew: false, hasBytes: true), .refuse),
            (Connection(isNew: false, isHTTP2: true, isClosed: true), .refuse),
            (Connection(isNew: false, isHTTP2: true, hasBytes: true), .send),
        ] {
            var policy = ResendPolicy(isIdempotent: isIdempotent)
            #expect(policy.maySend(on: connection) == permission)
            #expect(
                policy.end(hasConnectionFailed: permission == .refuse, hasResponse: false)
                    == (permission == .refuse ? .restart : .deliver))
        }
    }

    @Test("After a refusal the request goes to a new connection, once")
    func restart() {
        var policy = ResendPolicy(isIdempotent: false)
        #expect(policy.maySend(on: Connection(isNew: false, isClosed: true)) == .refuse)
        #expect(policy.end(hasConnectionFailed: true, hasResponse: false) == .restart)
        #expect(policy.maySend(on: Self.new) == .send)
        #expect(policy.end(hasConnectionFailed: true, hasResponse: false) == .deliver)
    }

    @Test("libcurl may repeat an idempotent request on a new connection, or over HTTP/2")
    func repeated() {
        for (connection, permission, end) in [
            (Self.new, ResendPolicy.Permission.sendAgain, ResendPolicy.End.deliver),
            (Self.keptHTTP2, .sendAgain, .deliver),
            (Self.kept, .refuse, .restart),
        ] {
            var policy = ResendPolicy(isIdempotent: true)
            #expect(policy.maySend(on: Self.kept) == .send)
            #expect(policy.maySend(on: connection) == permission)
            #expect(policy.end(hasConnectionFailed: permission == .refuse, hasResponse: false) == end)
        }
    }

    @Test("libcurl may not repeat a request that is not idempotent, unless the server did not process it")
    func notIdempotent() {
        var policy = ResendPolicy(isIdempotent: false)
        #expect(policy.maySend(on: Self.kept) == .send)
        #expect(policy.maySend(on: Self.new) == .refuse)
        #expect(policy.end(hasConnectionFailed: true, hasResponse: false) == .lost)
        var refused = ResendPolicy(isIdempotent: false)
        #expect(refused.maySend(on: Self.keptHTTP2) == .send)
        #expect(refused.maySend(on: Self.keptHTTP2, isUnprocessed: true) == .sendAgain)
    }

    @Test("A request that the server did not process may start over though the next connection was closed")
    func unprocessedAndClosed() {
        var policy = ResendPolicy(isIdempotent: false)
        #expect(policy.maySend(on: Self.keptHTTP2) == .send)
        #expect(
            policy.maySend(on: Connection(isNew: false, isHTTP2: true, isClosed: true), isUnprocessed: true) == .refuse)
        #expect(policy.end(hasConnectionFailed: true, hasResponse: false) == .restart)
        #expect(policy.maySend(on: Self.new) == .sendAgain)
        #expect(policy.maySend(on: Self.new) == .refuse)
        #expect(policy.end(hasConnectionFailed: true, hasResponse: false) == .lost)
    }

    @Test("An idempotent request restarts once after its kept connection failed, unless a response had begun")
    func failure() {
        for (isIdempotent, hasResponse, end) in [
            (true, false, ResendPolicy.End.restart), (true, true, .deliver), (false, false, .deliver),
        ] {
            var policy = ResendPolicy(isIdempotent: isIdempotent)
            #expect(policy.maySend(on: Self.kept) == .send)
            #expect(policy.end(hasConnectionFailed: true, hasResponse: hasResponse) == end)
        }
        var policy = ResendPolicy(isIdempotent: true)
        #expect(policy.maySend(on: Self.kept) == .send)
        #expect(policy.end(hasConnectionFailed: true, hasResponse: false) == .restart)
        #expect(policy.maySend(on: Self.new) == .sendAgain)
        #expect(policy.end(hasConnectionFailed: true, hasResponse: false) == .deliver)
        #expect(policy.sendings == 2)
    }
}
