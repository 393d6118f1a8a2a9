import Foundation

/// Sends hop after hop, while the response is a redirect, a challenge, a 421 or a 425 that leads to another hop.
struct FollowUps<Rest: Station>: Station {
    private let rest: Rest

    init(_ rest: Rest) { self.rest = rest }

    func response(to first: TransportRequest, in attempt: Attempt) async throws -> Response {
        var request = first
        var course = Course()
        while true {
            try Task.checkCancellation()
            let credential = attempt.credential(for: request)
            let spaces = attempt.run.environment.limits.spaces
            var outgoing = request
            if let credential { try course.authorize(&outgoing, credential, spaces) }
            if course.takeNewConnection() { outgoing.change { $0.needsNewConnection = true } }
            let response = try await rest.response(to: outgoing, in: attempt.hop(request, course))
            if let reason = try course.repeats(outgoing, after: response, credential, spaces) {
                attempt.run.watch.hopLeads(to: reason)
                attempt.run.record.willSend(request)
            } else if attempt.run.policies.redirects.follows(response.head),
                let next = try await redirected(response.head, request, &course, attempt)
            {
                request = next
            } else {
                return response
            }
            await attempt.drain(response.message, to: response.request.head.method)
            attempt.endHop(response.head, next: request)
        }
    }

    /// The request that follows a redirect; `nil` if the request's handler does not follow it.
    private func redirected(
        _ head: HTTPResponseHead, _ request: TransportRequest, _ course: inout Course, _ attempt: Attempt
    ) async throws -> TransportRequest? {
        let (run, visited) = (attempt.run, course.visited)
        // If a closure of the user's decides, the end of the attempt's time cancels it.
        let following = try await attempt.interruptibly {
            try await run.policies.redirects.following(head, to: request, visited: visited)
        }
        guard var next = following else { return nil }
        _ = PasswordCredential.take(from: &next)
        try next.check()
        run.watch.hopLeads(to: .redirected(to: next.head))
        run.record.redirected(to: next)
        course = Course(visited: course.visited + [next.head.url])
        return next
    }
}

/// What the hops so far determine for the next hop.
private struct Course {
    var visited: [URL] = []
    var authorization: String?
    /// Whether `authorization` responds to a challenge, and was not sent before any challenge.
    var isForChallenge = false
    var challenges = 0
    /// Whether the request was sent again after a 421 or 425.
    var hasSentAgain = false
    var needsNewConnection = false
    /// A server may declare every nonce stale (RFC 7616 §3.3); requests to it must not go on without end.
    static let maximumChallenges = 3

    /// Sends the credential without a challenge if the URL is in a protection space that has challenged before.
    mutating func authorize(
        _ outgoing: inout TransportRequest, _ credential: PasswordCredential, _ spaces: ProtectionSpaces
    ) throws {
        if authorization == nil { authorization = try spaces.header(for: outgoing, credential) }
        if let authorization { outgoing.head.headers.update(.authorization(authorization)) }
    }

    /// Why the same request is to be sent again; `nil` if it is not. A stored response is no reason.
    mutating func repeats(
        _ sent: TransportRequest, after response: Response, _ credential: PasswordCredential?,
        _ spaces: ProtectionSpaces
    ) throws -> HopSummary.Ending? {
        guard !response.isStored else { return nil }
        if let credential, try responds(to: response.head, of: sent, credential, spaces) { return .challenged }
        return isUnprocessed(response.head, sent) ? .sentAgain : nil
    }

    /// Whether the server did not process the request because of the connection: 421, as the server does not serve this
    /// origin on the connection (RFC 9110 §15.5.20), or 425, as the request may have been sent as early data (RFC 8470
    /// §5.2). Such a request is sent again once, with any method.
    private mutating func isUnprocessed(_ head: HTTPResponseHead, _ sent: TransportRequest) -> Bool {
        guard head.statusCode == 421 || head.statusCode == 425, !hasSentAgain, sent.body.replay != .once else {
            return false
        }
        hasSentAgain = true
        needsNewConnection = head.statusCode == 421
        return true
    }

    mutating func takeNewConnection() -> Bool {
        defer { needsNewConnection = false }
        return needsNewConnection
    }

    /// Whether the same request is to be sent again with credentials for the server's challenge.
    private mutating func responds(
        to head: HTTPResponseHead, of sent: TransportRequest, _ credential: PasswordCredential,
        _ spaces: ProtectionSpaces
    ) throws -> Bool {
        guard head.statusCode == 401 else {
            spaces.receive(head, to: sent, credential)
            return false
        }
        // Credentials that were sent without a challenge are made again with this challenge's nonce. Credentials that
        // were made for a challenge are made again only if the server declares their nonce stale.
        let refused = isForChallenge ? authorization : nil
        let credentials = try spaces.answer(head, to: sent, credential, refused: refused)
        guard sent.body.replay != .once else { return false }
        guard let credentials, credentials != authorization else {
            spaces.forget(sent, credential)
            return false
        }
        guard challenges < Self.maximumChallenges else { return false }
        (authorization, isForChallenge) = (credentials, true)
        challenges += 1
        return true
    }
}

extension Attempt {
    /// The credential for a request; `nil` if the request goes to another origin than the credential's, or has an
    /// `Authorization` header of its own.
    func credential(for request: TransportRequest) -> PasswordCredential? {
        guard let credential, credential.origin == request.head.url.origin else { return nil }
        return request.head.headers.contains(name: "Authorization") ? nil : credential.credential
    }

    fileprivate func hop(_ request: TransportRequest, _ course: Course) -> Attempt {
        var copy = self
        copy.hopRequest = request
        copy.isRedirected = isRedirected || !course.visited.isEmpty
        return copy
    }
}
