import Testing

@testable import AsyncNetLibcurl

/// Whether a request may go out on a connection, and again on another (RFC 9110 §9.2.2): the machine alone.
@Suite("Resend policy")
struct ResendPolicyTests {
    @Test("A first sending may use a new or a kept connection", arguments: [true, false], [true, false])
    func first(_ isIdempotent: Bool, _ isNew: Bool) {
        var policy = ResendPolicy(isIdempotent: isIdempotent)
        #expect(policy.maySend(on: isNew ? .new : .kept) == .send)
        #expect(policy.end(hasConnectionFailed: false, hasResponse: true) == .deliver)
    }

    @Test("After a connection that cannot be used the request goes to a new one, once", arguments: [true, false])
    func unusable(_ isIdempotent: Bool) {
        var policy = ResendPolicy(isIdempotent: isIdempotent)
        #expect(policy.maySend(on: .unusable) == .refuse)
        #expect(policy.end(hasConnectionFailed: true, hasResponse: false) == .restart)
        #expect(policy.maySend(on: .unusable) == .refuse)
        #expect(policy.end(hasConnectionFailed: true, hasResponse: false) == .lost)
    }

    @Test("libcurl may repeat an idempotent request on a new connection; on a kept one it restarts")
    func repeated() {
        for (isNew, permission, end) in [
            (true, ResendPolicy.Permission.sendAgain, ResendPolicy.End.deliver), (false, .refuse, .restart),
        ] {
            var policy = ResendPolicy(isIdempotent: true)
            #expect(policy.maySend(on: .kept) == .send)
            #expect(policy.maySend(on: isNew ? .new : .kept) == permission)
            #expect(policy.end(hasConnectionFailed: permission == .refuse, hasResponse: false) == end)
        }
    }

    @Test("libcurl may not repeat a request that is not idempotent", arguments: [true, false])
    func notIdempotent(_ isNew: Bool) {
        var policy = ResendPolicy(isIdempotent: false)
        #expect(policy.maySend(on: .kept) == .send)
        #expect(policy.maySend(on: isNew ? .new : .kept) == .refuse)
        #expect(policy.end(hasConnectionFailed: true, hasResponse: false) == .lost)
    }

    @Test("An idempotent request whose body cannot be sent again is lost")
    func bodyOnce() {
        var policy = ResendPolicy(isIdempotent: true)
        #expect(policy.maySend(on: .kept) == .send)
        #expect(policy.maySend(on: .new) == .sendAgain)
        policy.cannotSendAgain()
        #expect(policy.end(hasConnectionFailed: true, hasResponse: false) == .lost)
    }

    @Test("An idempotent request restarts once after its kept connection failed, unless a response had begun")
    func failure() {
        for (isIdempotent, hasResponse, end) in [
            (true, false, ResendPolicy.End.restart), (true, true, .deliver), (false, false, .deliver),
        ] {
            var policy = ResendPolicy(isIdempotent: isIdempotent)
            #expect(policy.maySend(on: .kept) == .send)
            #expect(policy.end(hasConnectionFailed: true, hasResponse: hasResponse) == end)
        }
        var policy = ResendPolicy(isIdempotent: true)
        #expect(policy.maySend(on: .kept) == .send)
        #expect(policy.end(hasConnectionFailed: true, hasResponse: false) == .restart)
        #expect(policy.maySend(on: .new) == .sendAgain)
        #expect(policy.end(hasConnectionFailed: true, hasResponse: false) == .deliver)
    }
}
