import Testing

@testable import AsyncNetLibcurl

/// Whether a request may go out on a connection, and again on another (RFC 9110 §9.2.2): the machine alone.
@Suite("ResendPolicy")
struct ResendPolicyTests {
    @Test(
        "The first sending of a request is allowed on a new and on a kept connection",
        arguments: [true, false], [true, false])
    func first(_ isIdempotent: Bool, _ isNew: Bool) {
        var policy = ResendPolicy(isIdempotent: isIdempotent)
        #expect(policy.maySend(on: isNew ? .new : .kept) == .send)
        #expect(policy.end(hasConnectionFailed: false, hasResponse: true) == .deliver)
    }

    @Test(
        "A transfer for which libcurl picks an unusable connection restarts once, and the second time is lost",
        arguments: [true, false])
    func unusable(_ isIdempotent: Bool) {
        var policy = ResendPolicy(isIdempotent: isIdempotent)
        #expect(policy.maySend(on: .unusable) == .refuse)
        #expect(policy.end(hasConnectionFailed: true, hasResponse: false) == .restart)
        #expect(policy.maySend(on: .unusable) == .refuse)
        #expect(policy.end(hasConnectionFailed: true, hasResponse: false) == .lost)
    }

    @Test("libcurl may send an idempotent request a second time on a new connection, but not on a kept one")
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

    @Test(
        "libcurl must not send a request again that is not idempotent: the request ends with .connectionLost",
        arguments: [true, false])
    func notIdempotent(_ isNew: Bool) {
        var policy = ResendPolicy(isIdempotent: false)
        #expect(policy.maySend(on: .kept) == .send)
        #expect(policy.maySend(on: isNew ? .new : .kept) == .refuse)
        #expect(policy.end(hasConnectionFailed: true, hasResponse: false) == .lost)
    }

    @Test("An idempotent request counts as lost if its body cannot be sent again")
    func bodyOnce() {
        var policy = ResendPolicy(isIdempotent: true)
        #expect(policy.maySend(on: .kept) == .send)
        #expect(policy.maySend(on: .new) == .sendAgain)
        policy.cannotSendAgain()
        #expect(policy.end(hasConnectionFailed: true, hasResponse: false) == .lost)
    }

    @Test("An idempotent request whose kept connection failed restarts once, unless a response has begun")
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
