/// Adds to a hop's request the cookies of its URL, and the request's settings for the transport.
struct Bridge<Rest: Station>: Station {
    let rest: Rest

    func response(to request: TransportRequest, in attempt: Attempt) async throws -> Response {
        var outgoing = request
        prepare(&outgoing, attempt)
        if let jar = attempt.run.environment.configuration.cookieJar { await jar.addCookies(to: &outgoing) }
        return try await rest.response(to: outgoing, in: attempt)
    }

    /// Adds the settings to a copy of the request that the record stores: in the record itself, the watch would make a
    /// retain cycle, watch → record → request → watch.
    @inline(never)
    private func prepare(_ outgoing: inout TransportRequest, _ attempt: Attempt) {
        let run = attempt.run
        outgoing.change { outgoing in
            outgoing.onEvent = run.watch.receive
            outgoing.hold = run.hold
            outgoing.interests = run.watch.events?.interests
            outgoing.connectionObservers = run.environment.events.connectionObservers
            outgoing.maximumBodySize = run.policies.maximumBodySize
            outgoing.addresses = run.policies.addresses
            outgoing.priority = run.policies.priority
            outgoing.head.asksForUncodedRange()
            outgoing.delivery = run.sink.delivery
            if outgoing.delivery == .whole { outgoing.isUrgent = attempt.refusesHeads(of: outgoing.head) }
        }
    }
}

extension HTTPRequestHead {
    /// Adds `Accept-Encoding: identity` to a request with `Range`, as the Fetch standard does. A content coding makes
    /// another representation, in which a range has other bytes (RFC 9110 §14.1.2), and servers that encode while they
    /// send ignore the range.
    fileprivate mutating func asksForUncodedRange() {
        let hasRange = headers.contains { $0.hasName("Range") && !$0.isOmission }
        guard hasRange, !headers.contains(name: "Accept-Encoding") else { return }
        headers.add(.acceptEncoding("identity"))
    }
}

extension CookieJar {
    /// The request's own cookies come first and replace the jar's cookies of the same names.
    @inline(never)
    fileprivate func addCookies(to outgoing: inout TransportRequest) async {
        let own = outgoing.head.headers["Cookie"]
        guard own.map({ HTTPHeader(name: "Cookie", value: $0).isOmission }) != true else { return }
        let names = Set((own ?? "").split(separator: ";").map { String($0.prefix { $0 != "=" }).trimmedHTTPSpace })
        guard let kept = header(for: outgoing.head.url, without: names) else { return }
        let texts = [own ?? "", kept].filter { !$0.trimmedHTTPSpace.isEmpty }
        outgoing.head.headers.update(HTTPHeader(name: "Cookie", value: texts.joined(separator: "; ")))
    }
}
