/// Sends one hop over the transport, and stores the cookies of its response.
struct Sending: Station {
    func response(to request: TransportRequest, in attempt: Attempt) async throws -> Response {
        let run = attempt.run
        let outgoing = try begin(request, attempt)
        var message = try await run.transport.send(outgoing)
        message.keepsContentCoding = outgoing.keepsContentCoding
        received(message.head, run)
        if let jar = run.environment.configuration.cookieJar { await jar.keepCookies(of: message.head, run) }
        return Response(message, to: attempt.hopRequest ?? request)
    }

    private func begin(_ request: TransportRequest, _ attempt: Attempt) throws -> TransportRequest {
        let run = attempt.run
        if !request.addresses.isAny { try run.transport.check(request.addresses) }
        var outgoing = request
        if let transfer = run.watch.supervised.withLock({ $0 }) { outgoing.change { $0.supervision = transfer } }
        run.record.beginHop(outgoing.head)
        run.watch.beginHop(&outgoing, run.context.trace, isRedirected: attempt.isRedirected)
        return outgoing
    }

    private func received(_ head: HTTPResponseHead, _ run: RequestRun) {
        run.watch.touch()
        run.record.hopReceived(head)
        run.watch.hopReceived(head)
    }
}

extension CookieJar {
    fileprivate func keepCookies(of head: HTTPResponseHead, _ run: RequestRun) async {
        guard head.value(for: "Set-Cookie") != nil else { return }
        var values = head.headers.values(for: "Set-Cookie")
        if head.joinsRepeatedHeaders { values = values.flatMap(SetCookie.split) }
        await store(setCookie: values, from: head.url)
        run.send(.cookiesStored(values.compactMap { SetCookie($0)?.name }))
    }
}
