import Foundation

/// Sends hop after hop, while the response is a redirect, a challenge, a 421 or a 425 that leads to another hop.
struct FollowUps<Rest: Station>: Station {
    let rest: Rest

    func response(to first: TransportRequest, in attempt: Attempt) async throws -> Response {
        var course = Course(request: first)
        while true {
            try Task.checkCancellation()
            let outgoing = try course.outgoing(attempt)
            let response = try await rest.response(to: outgoing, in: attempt.hop(of: course))
            let reason = try course.repeats(outgoing, after: response, attempt)
            guard reason != nil || attempt.run.policies.redirects.follows(response.head),
                try await course.follow(response, because: reason, in: attempt)
            else { return response }
        }
    }
}

/// The next hop's request, and what the hops so far determine for it.
private struct Course {
    var request: TransportRequest
    var visited: [URL] = []
    var authorization: String?
    /// Whether `authorization` was made for a challenge; `false` if it is sent without one.
    var isForChallenge = false
    var challenges = 0
    /// Whether the request was sent again after a 421 or 425.
    var hasSentAgain = false
    var needsNewConnection = false
    /// A server may declare every nonce stale (RFC 7616 §3.3): the request must not be sent again without end.
    static let maximumChallenges = 3

    /// The request as it is sent. The credential is sent without a challenge if the URL is in a protection space that
    /// has challenged before.
    mutating func outgoing(_ attempt: Attempt) throws -> TransportRequest {
        var outgoing = request
        if authorization == nil, let credential = attempt.credential(for: request) {
            authorization = try attempt.spaces.header(for: outgoing, credential)
        }
        if let authorization { outgoing.head.headers.update(.authorization(authorization)) }
        if needsNewConnection { outgoing.change { $0.needsNewConnection = true } }
        needsNewConnection = false
        return outgoing
    }

    /// Why the same request is to be sent again; `nil` if it is not, as after a stored response.
    mutating func repeats(
        _ sent: TransportRequest, after response: Response, _ attempt: Attempt
    ) throws -> HopSummary.Ending? {
        guard !response.isStored else { return nil }
        if let credential = attempt.credential(for: request),
            try responds(to: response.head, of: sent, credential, attempt.spaces)
        {
            return .challenged
        }
        return isUnprocessed(response.head, sent) ? .sentAgain : nil
    }

    /// Prepares the next hop: the same request if there is a reason, else the request that a redirect leads to. Returns
    /// `false` if the redirect handler does not follow the redirect.
    @inline(never)
    mutating func follow(
        _ response: Response, because reason: HopSummary.Ending?, in attempt: Attempt
    ) async throws -> Bool {
        if let reason {
            attempt.run.watch.hopLeads(to: reason)
            attempt.run.record.willSend(request)
        } else {
            guard let next = try await redirected(response.head, attempt) else { return false }
            self = Course(request: next, visited: visited + [next.head.url])
        }
        await attempt.drain(response.message, to: response.request.head.method)
        attempt.endHop(response.head, next: request)
        return true
    }

    /// The request that follows a redirect; `nil` if the redirect handler does not follow it.
    private func redirected(_ head: HTTPResponseHead, _ attempt: Attempt) async throws -> TransportRequest? {
        let run = attempt.run
        run.watch.pause()
        // A closure of the user's may wait for another request of this session, which needs a permit too.
        if case .modify = run.policies.redirects.handler.choice { run.releasePermit() }
        let following: TransportRequest?
        do {
            // The attempt's time limit may cancel a closure of the user's that decides about the redirect.
            following = try await attempt.interruptibly { [request, visited] in
                try await run.policies.redirects.following(head, to: request, visited: visited)
            }
        } catch {
            // The error has the response whose Location was not followed.
            if !Task.isCancelled { _ = run.record.received(head) }
            throw error
        }
        guard var next = following else {
            run.watch.read()
            return nil
        }
        _ = PasswordCredential.take(from: &next)
        try next.check()
        run.watch.hopLeads(to: .redirected(to: next.head))
        run.record.redirected(to: next)
        return next
    }

    /// Whether the server did not process the request because of the connection: 421, as the server does not serve this
    /// origin on the connection (RFC 9110 §15.5.20), or 425, as the request may have been sent as early data (RFC 8470
    /// §5.2). Such a request is sent again once, with any method.
    private mutating func isUnprocessed(_ head: HTTPResponseHead, _ sent: TransportRequest) -> Bool {
        guard head.statusCode == 421 || head.statusCode == 425, !hasSentAgain, sent.body.isReadable else {
            return false
        }
        hasSentAgain = true
        needsNewConnection = head.statusCode == 421
        return true
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
        guard sent.body.isReadable else { return false }
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

    fileprivate var spaces: ProtectionSpaces { run.environment.limits.spaces }

    fileprivate func hop(of course: Course) -> Attempt {
        var copy = self
        copy.hopRequest = course.request
        copy.isRedirected = isRedirected || !course.visited.isEmpty
        return copy
    }
}
