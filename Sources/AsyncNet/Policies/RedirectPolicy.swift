import Foundation

/// Which request follows a redirect (RFC 9110 §15.4), as a pure function of request and response.
package struct RedirectPolicy: Sendable {
    /// 0 follows none and delivers the 3xx response itself.
    package var limit: Int

    package init(limit: Int = 20) { self.limit = limit }

    /// Whether this response sends the client elsewhere.
    package func follows(_ response: HTTPResponseHead) -> Bool {
        limit > 0 && [301, 302, 303, 307, 308].contains(response.statusCode) && response.value(for: "Location") != nil
    }

    /// The request to send next, or `nil` if this response is the answer.
    ///
    /// 303 becomes GET, except for HEAD; 301 and 302 turn POST into GET, as every client does; 307 and 308 repeat method
    /// and body. What describes a body goes with the body, credentials stay with their origin.
    package func next(
        after response: HTTPResponseHead, to request: TransportRequest, followed: Int
    ) throws(AsyncNetError) -> TransportRequest? {
        guard follows(response), let location = response.value(for: "Location") else { return nil }
        guard followed < limit else {
            throw AsyncNetError(.tooManyRedirects, "There were more than \(limit) redirects")
        }
        var next = request
        next.head.url = try target(location, from: request.head.url)
        if becomesGET(response.statusCode, request.head.method) { dropBody(&next) }
        if next.body.replay == .once {
            throw AsyncNetError(.redirectFailed, "The redirect asks for the body again, which can be sent only once")
        }
        if next.head.url.origin != request.head.url.origin {
            next.head.headers.remove("Host")
            for secret in next.head.headers.filter(\.isSecret) { next.head.headers.remove(secret.name) }
        }
        return next
    }

    /// RFC 3986 resolution; a target without a fragment inherits the request's (RFC 9110 §10.2.2).
    private func target(_ location: String, from url: URL) throws(AsyncNetError) -> URL {
        let base = URLReference(url.absoluteString)
        var target = URLReference(location.trimmedHTTPSpace).resolved(against: base)
        target.fragment = target.fragment ?? base.fragment
        do throws(AsyncNetError) {
            guard let url = target.url else { throw AsyncNetError(.malformedURL, "its target is no URL") }
            return try url.checkedForHTTP()
        } catch {
            throw AsyncNetError(.redirectFailed, "A redirect could not be followed: \(error.message)", underlyingError: error)
        }
    }

    private func becomesGET(_ status: Int, _ method: HTTPMethod) -> Bool {
        status == 303 && method != .head && method != .get || status < 303 && method == .post
    }

    private func dropBody(_ request: inout TransportRequest) {
        request.head.method = .get
        request.body = .none
        for name in request.head.headers.map(\.name) {
            let lowercased = name.lowercased()
            if lowercased.hasPrefix("content-") || lowercased == "transfer-encoding" || lowercased == "expect" {
                request.head.headers.remove(name)
            }
        }
    }
}
