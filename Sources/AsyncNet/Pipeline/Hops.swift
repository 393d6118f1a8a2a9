import Foundation

/// Sends a request over the transport, and sends the next hop after a redirect or a challenge. Each hop sends the
/// cookie jar's cookies and stores those of its response, and goes through the session's cache.
struct Hops: Station {
    func send(_ first: TransportRequest, in attempt: Attempt) async throws -> Next {
        var (request, hop) = (first, Hop())
        do {
            while true {
                try Task.checkCancellation()
                let (response, next) = try await exchange(request, &hop, attempt)
                if let next {
                    await attempt.drain(response, to: request.head.method)
                    attempt.run.watch.endTransfer()
                    attempt.run.trace?.endHop(nil)
                    request = next
                } else if let next = try await attempt.deliver(response.decoded, to: request) {
                    attempt.run.trace?.endHop(nil)
                    return next
                } else {
                    attempt.run.trace?.endHop(nil)
                    request = try await attempt.run.prepare(request)
                    attempt.run.watch.read()
                    hop = Hop(visited: hop.visited)
                }
            }
        } catch {
            attempt.run.trace?.endHop(error)
            throw error
        }
    }

    /// - Returns: The response, and the request of the next hop if a redirect or a challenge is to be followed.
    private func exchange(_ request: TransportRequest, _ hop: inout Hop, _ attempt: Attempt) async throws -> (
        TransportResponse, TransportRequest?
    ) {
        let run = attempt.run
        let jar = run.environment.configuration.cookieJar
        var outgoing = outgoing(request, attempt)
        let credential = attempt.credential(for: request)
        if let credential { try hop.authorize(&outgoing, credential, run.environment.limits.spaces) }
        if let jar { await jar.addCookies(to: &outgoing) }
        let isRedirected = !hop.visited.isEmpty
        let response = try await throughCache(outgoing, request, isRedirected, attempt)
        // A stored response is no response to these credentials.
        if let credential, run.environment.cache == nil || !run.record.isFromCache,
            try hop.responds(to: response.head, of: outgoing, credential, run.environment.limits.spaces)
        {
            run.send(.challenged(response.head))
            run.record.challenged(by: response.head.statusCode, request)
            return (response, request)
        }
        guard run.policies.redirects.follows(response.head) else { return (response, nil) }
        return (response, try await redirected(response.head, request, &hop, run))
    }

    /// The response of the server, or of the session's cache if there is one.
    private func throughCache(
        _ outgoing: TransportRequest, _ request: TransportRequest, _ isRedirected: Bool, _ attempt: Attempt
    ) async throws -> TransportResponse {
        let run = attempt.run
        guard let cached = CachedHop(outgoing, request, attempt) else {
            return try await transfer(outgoing, isRedirected, run)
        }
        return try await cached.response(to: outgoing) { try await transfer($0, isRedirected, run) }
    }

    private func transfer(_ request: TransportRequest, _ isRedirected: Bool, _ run: RequestRun) async throws
        -> TransportResponse
    {
        var outgoing = request
        run.record.beginHop(outgoing.head)
        run.trace?.beginHop(&outgoing, isRedirected: isRedirected)
        if outgoing.interests != nil { run.watch.beginHop(outgoing) }
        var response = try await run.transport.send(outgoing)
        response.keepsContentCoding = outgoing.keepsContentCoding
        run.watch.touch()
        run.trace?.received(response.head)
        if let jar = run.environment.configuration.cookieJar { await jar.keepCookies(of: response.head, run) }
        return response
    }

    /// A copy with the watch and, later, cookies and credentials. The stored request must hold neither secrets nor the
    /// watch: watch → record → request → watch would be a retain cycle.
    private func outgoing(_ request: TransportRequest, _ attempt: Attempt) -> TransportRequest {
        let run = attempt.run
        var outgoing = request
        outgoing.change { outgoing in
            outgoing.onEvent = run.watch.receive
            outgoing.hold = run.hold
            outgoing.supervision = run.watch.supervisedTransfer
            outgoing.interests = run.watch.events?.interests
            outgoing.connectionObserver = run.environment.events.connectionObserver
            outgoing.maximumBodySize = run.policies.bodyLimit
            outgoing.priority = run.policies.priority
            outgoing.head.asksForUncodedRange()
            if outgoing.delivery == .whole { outgoing.isUrgent = attempt.refusesHeads(of: outgoing.head) }
        }
        return outgoing
    }

    /// The request that follows a redirect; `nil` if the redirect itself is the response.
    private func redirected(
        _ head: HTTPResponseHead, _ request: TransportRequest, _ hop: inout Hop, _ run: RequestRun
    ) async throws -> TransportRequest? {
        guard var next = try await run.policies.redirects.following(head, to: request, visited: hop.visited) else {
            return nil
        }
        _ = Credential.take(from: &next)
        try next.check()
        run.send(.redirected(head, to: next.head))
        run.record.redirected(by: head.statusCode, to: next)
        hop = Hop(visited: hop.visited + [next.head.url])
        return next
    }
}

/// What the hops so far determine for the next hop.
private struct Hop {
    /// The URLs of the redirects followed so far.
    var visited: [URL] = []
    /// The value of `Authorization` made of the credential.
    var authorization: String?
    /// Whether `authorization` responds to a challenge, and was not sent before any challenge.
    var isForChallenge = false
    var challenges = 0
    /// A server may declare every nonce stale (RFC 7616 §3.3); requests to it must not go on without end.
    static let maximumChallenges = 3

    /// Sends the credential without a challenge if the URL is in a protection space that has challenged before.
    mutating func authorize(
        _ outgoing: inout TransportRequest, _ credential: Credential, _ spaces: ProtectionSpaces
    ) throws {
        if authorization == nil { authorization = try spaces.header(for: outgoing, credential) }
        if let authorization { outgoing.head.headers.set(.authorization(authorization)) }
    }

    /// Whether the same request is to be sent again with credentials for the server's challenge.
    mutating func responds(
        to head: HTTPResponseHead, of sent: TransportRequest, _ credential: Credential, _ spaces: ProtectionSpaces
    ) throws -> Bool {
        guard head.statusCode == 401 else {
            spaces.receive(head, to: sent, credential)
            return false
        }
        // Credentials that were sent without a challenge may have an old nonce, and are made again with the nonce of
        // this challenge. Credentials made for a challenge are made again only if the server declares their nonce
        // stale.
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
    /// `nil` if the request goes to another origin than the credential's, or has an `Authorization` header of its own.
    func credential(for request: TransportRequest) -> Credential? {
        guard let credential, credential.origin == request.head.url.origin else { return nil }
        return request.head.headers.contains(name: "Authorization") ? nil : credential.credential
    }
}

extension HTTPRequestHead {
    /// Asks for a range of the bytes that the caller knows. A content coding makes another representation, of which a range
    /// is other bytes (RFC 9110 §14.1.2); servers that code while they send ignore the range. As in the Fetch standard.
    mutating func asksForUncodedRange() {
        let hasRange = headers.contains { $0.hasName("Range") && !$0.isOmission }
        guard hasRange, !headers.contains(name: "Accept-Encoding") else { return }
        headers.add(.acceptEncoding("identity"))
    }
}

extension CookieJar {
    /// The request's own cookies come first and replace the jar's cookies of the same names.
    func addCookies(to outgoing: inout TransportRequest) async {
        let own = outgoing.head.headers["Cookie"]
        guard own.map({ HTTPHeader(name: "Cookie", value: $0).isOmission }) != true else { return }
        let names = Set((own ?? "").split(separator: ";").map { String($0.prefix { $0 != "=" }).trimmedHTTPSpace })
        guard let kept = header(for: outgoing.head.url, without: names) else { return }
        let texts = [own ?? "", kept].filter { !$0.trimmedHTTPSpace.isEmpty }
        outgoing.head.headers.set(HTTPHeader(name: "Cookie", value: texts.joined(separator: "; ")))
    }

    fileprivate func keepCookies(of head: HTTPResponseHead, _ run: RequestRun) async {
        guard head.value(for: "Set-Cookie") != nil else { return }
        var values = head.headers.values(for: "Set-Cookie")
        if head.joinsRepeatedHeaders { values = values.flatMap(SetCookie.split) }
        await store(setCookie: values, from: head.url)
        run.send(.cookiesStored(values.compactMap { SetCookie($0)?.name }))
    }
}
