import Foundation

/// Which request follows a redirect (RFC 9110 §15.4), as a pure function of request and response.
struct RedirectPolicy: Sendable {
    /// How many redirects are followed; 0 delivers the 3xx response itself.
    var limit: Int
    var handler: RedirectHandler

    init(limit: Int = 20, handler: RedirectHandler = .follow) {
        (self.limit, self.handler) = (limit, handler)
        if case .doNotFollow = handler.choice { self.limit = 0 }
    }

    func follows(_ response: HTTPResponseHead) -> Bool {
        limit > 0 && [301, 302, 303, 307, 308].contains(response.statusCode) && !response.values(of: .location).isEmpty
    }

    /// The request to send next; `nil` if this response is delivered.
    ///
    /// 303 becomes GET, except for HEAD; 301 and 302 turn POST into GET, as all clients do; 307 and 308 repeat method
    /// and body. Headers that describe a removed body are removed; credentials are not sent to another origin.
    ///
    /// - Parameter visited: The URLs of the earlier redirects.
    func next(
        after response: HTTPResponseHead, to request: TransportRequest, visited: some Collection<URL>
    ) throws(AsyncNetError) -> TransportRequest? {
        guard follows(response) else { return nil }
        guard let location = response.values(of: .location).only else {
            throw AsyncNetError(.badServerResponse, "The server's redirect has several Location lines, which differ")
        }
        guard visited.count < limit else {
            let isLoop = Set(visited).count < visited.count
            throw AsyncNetError(
                .tooManyRedirects,
                isLoop
                    ? "The redirects form a loop: there were more than \(limit)"
                    : "There were more than \(limit) redirects")
        }
        var next = request
        next.head.setURL(try target(location, from: request.head))
        if request.head.url.scheme?.lowercased() == "https", next.head.url.scheme?.lowercased() == "http",
            !handler.allowsInsecure
        {
            throw AsyncNetError(
                .redirectFailed,
                "A redirect from https to http was refused; allow it with .follow(allowingInsecure: true)")
        }
        if becomesGET(response.statusCode, request.head.method) { next.becomeGET() }
        if !next.body.isReadable {
            throw AsyncNetError(.redirectFailed, "The redirect requires the body again, which can be sent only once")
        }
        if next.head.url.origin != request.head.url.origin { next.removeSecrets(handler) }
        return next
    }

    /// The request to send next, changed by the closure of `.modify`.
    func following(
        _ response: HTTPResponseHead, to request: TransportRequest, visited: [URL]
    ) async throws -> TransportRequest? {
        guard let next = try next(after: response, to: request, visited: visited),
            case .modify(let change) = handler.choice
        else {
            return try next(after: response, to: request, visited: visited)
        }
        do {
            return try await next.changed { request in try await UserCode.run { try await change(request, response) } }
        } catch {
            throw AsyncNetError(wrapping: error, as: .redirectFailed)
        }
    }

    /// `Location` resolved against the request's URL (RFC 3986), whose fragment it inherits (RFC 9110 §10.2.2).
    private func target(_ location: String, from head: HTTPRequestHead) throws(AsyncNetError) -> SpelledURL {
        let base = URLReference(head.urlText)
        var target = URLReference(location).resolved(against: base)
        target.fragment = target.fragment ?? base.fragment
        do throws(AsyncNetError) {
            guard let spelled = target.spelledURL else { throw AsyncNetError(.malformedURL, "its target is not a URL") }
            _ = try spelled.url.checkedForHTTP()
            return spelled
        } catch {
            throw AsyncNetError(
                .redirectFailed, "A redirect could not be followed: \(error.message)", underlyingError: error)
        }
    }

    private func becomesGET(_ status: Int, _ method: HTTPMethod) -> Bool {
        status == 303 && method != .head && method != .get || status < 303 && method == .post
    }
}

extension TransportRequest {
    /// Removes `Host`, secret headers and the handler's confidential headers, which must not reach another origin.
    mutating func removeSecrets(_ handler: RedirectHandler) {
        for name in ["Host"] + handler.confidentialHeaders { head.headers.remove(name) }
        for secret in head.headers.filter(\.isSecret) { head.headers.remove(secret.name) }
    }

    mutating func becomeGET() {
        head.method = .get
        body = .none
        for name in head.headers.map(\.name) {
            let lowercased = name.lowercased()
            if lowercased.hasPrefix("content-") || lowercased == "transfer-encoding" || lowercased == "expect" {
                head.headers.remove(name)
            }
        }
    }
}
