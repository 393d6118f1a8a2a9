import Foundation

/// One hop of an exchange: cookies and credentials on, the transfer, and what its response leads to.
extension Pipeline {
    /// What is known of the hops so far.
    struct Hop {
        /// Where redirects led.
        var visited: [URL] = []
        /// What the request said of who it is from, if it is not the caller who said it.
        var authorization: String?
        /// The server has been answered on this hop.
        var isAnswer = false
        var answers = 0
        /// A server that finds every nonce stale must not be asked for ever.
        static let maximumAnswers = 3
    }

    /// What a response means, with the body that is left to read.
    enum Step {
        case answer(TransportBody)
        /// The record's request is to be sent now; what is left of the body is worth reading, if it is there.
        case drop(TransportBody?)
    }

    func step(_ hop: inout Hop) async throws -> Step {
        var outgoing = try outgoing()
        try authorize(&outgoing, &hop)
        if let jar = session.configuration.cookieJar { await addCookies(of: jar, to: &outgoing) }
        let response = try await session.transport.send(outgoing)
        watch.touch()
        if let jar = session.configuration.cookieJar { await keepCookies(of: response.head, in: jar) }
        let isShort = isShort(response.head, answering: outgoing.head.method)
        if try answerChallenge(response.head, to: outgoing, &hop) { return .drop(isShort ? response.body : nil) }
        guard policies.redirects.follows(response.head), try await redirect(response.head, &hop) else {
            watch.answered(response.head)
            return .answer(response.decoded.body)
        }
        return .drop(isShort ? response.body : nil)
    }

    /// Only the copy that is sent knows the watch, which knows the request: what is kept must not. Nor does it know
    /// cookies and credentials.
    @inline(never)
    private func outgoing() throws(AsyncNetError) -> TransportRequest {
        guard var request = request.record.request else { throw AsyncNetError(.invalidRequest) }
        request.onEvent = watch.receive
        request.hold = self.request.hold
        request.delivery = self.request.sink == nil ? .whole : .asItArrives
        request.maximumBodySize = policies.bodyLimit
        if self.request.sink == nil { request.isUrgent = refusesHeads(answering: request.head) }
        return request
    }

    // MARK: Redirects

    /// Whether another request follows: then it is the record's.
    @inline(never)
    private func redirect(_ head: HTTPResponseHead, _ hop: inout Hop) async throws -> Bool {
        guard let sent = request.record.request,
            var next = try await policies.redirects.following(head, to: sent, visited: hop.visited)
        else { return false }
        _ = Credential.take(from: &next.head.url)
        try RequestAssembly.check(next)
        request.eventLog.send(.redirected(head, to: next.head))
        request.record.redirected(to: next)
        hop = Hop(visited: hop.visited + [next.head.url])
        return true
    }

    // MARK: Credentials

    /// A header of the caller's own stays.
    @inline(never)
    private func authorize(_ outgoing: inout TransportRequest, _ hop: inout Hop) throws {
        guard let credential = credential(for: outgoing) else { return }
        if hop.authorization == nil { hop.authorization = try session.limits.spaces.header(for: outgoing, credential) }
        if let authorization = hop.authorization { outgoing.head.headers.set(.authorization(authorization)) }
    }

    private func credential(for outgoing: TransportRequest) -> Credential? {
        guard let credential = policies.credential, policies.credentialOrigin == outgoing.head.url.origin else {
            return nil
        }
        return request.record.request?.head.headers.contains(name: "Authorization") == true ? nil : credential
    }

    /// Whether the same request is to be sent again with an answer to the server's question.
    @inline(never)
    private func answerChallenge(_ head: HTTPResponseHead, to sent: TransportRequest, _ hop: inout Hop) throws -> Bool {
        guard let credential = credential(for: sent) else { return false }
        let spaces = session.limits.spaces
        guard head.statusCode == 401 else {
            spaces.receive(head, to: sent, credential)
            return false
        }
        // What was said unasked may be out of date; an answer is not, unless the server says so.
        let refused = hop.isAnswer ? hop.authorization : nil
        let answer = try spaces.answer(head, to: sent, credential, refused: refused)
        guard sent.body.replay != .once else { return false }
        guard let answer, answer != hop.authorization else {
            spaces.forget(sent, credential)
            return false
        }
        guard hop.answers < Hop.maximumAnswers else { return false }
        (hop.authorization, hop.isAnswer) = (answer, true)
        hop.answers += 1
        if let again = request.record.request { request.record.willSend(again) }
        return true
    }

    // MARK: Cookies

    /// The caller's own first, and in place of the jar's of that name.
    @inline(never)
    private func addCookies(of jar: CookieJar, to outgoing: inout TransportRequest) async {
        let own = outgoing.head.headers["Cookie"]
        guard own.map({ HTTPHeader(name: "Cookie", value: $0).isOmission }) != true else { return }
        let names = Set((own ?? "").split(separator: ";").map { String($0.prefix { $0 != "=" }).trimmedHTTPSpace })
        guard let kept = await jar.header(for: outgoing.head.url, without: names) else { return }
        let texts = [own ?? "", kept].filter { !$0.trimmedHTTPSpace.isEmpty }
        outgoing.head.headers.set(HTTPHeader(name: "Cookie", value: texts.joined(separator: "; ")))
    }

    @inline(never)
    private func keepCookies(of head: HTTPResponseHead, in jar: CookieJar) async {
        guard head.value(for: "Set-Cookie") != nil else { return }
        let values = head.headers.values(for: "Set-Cookie")
        await jar.store(setCookie: head.joinsRepeatedHeaders ? values.flatMap(SetCookie.split) : values, from: head.url)
    }
}
