import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Decides which requests may follow a page, and with which headers and credentials. Does no I/O.
struct PageCourse: Sendable {
    /// A request for a page, and the headers that the closure of ``NextPage/request(_:)`` gave it.
    struct Step: Sendable {
        var request: TransportRequest
        var ownHeaders: HTTPHeaders = [:]
    }

    /// What distinguishes requests for a server: equal requests would give the same page again.
    private struct Identity: Hashable {
        let method: HTTPMethod
        let url: String
        let headers: HTTPHeaders
        let body: Data?
    }

    /// The first request, without userinfo.
    let first: TransportRequest
    private let credential: PasswordCredential?
    private let redirects: RedirectHandler
    private var visited: Set<Identity> = []

    init(_ first: TransportRequest, _ redirects: RedirectHandler) {
        var first = first
        credential = PasswordCredential.take(from: &first)
        (self.first, self.redirects) = (first, redirects)
    }

    /// The request for a page that a server has named.
    func step(to target: URL, after page: HTTPResponseHead) throws(AsyncNetError) -> Step {
        var next = first
        next.becomeGET()
        next.urlTemplate = nil
        next.head.url = try checked(target, after: page)
        _ = PasswordCredential.take(from: &next)
        if next.head.url.origin != first.head.url.origin { next.removeSecrets(redirects) }
        return Step(request: next)
    }

    func step(to url: any URLConvertible, after page: HTTPResponseHead) throws(AsyncNetError) -> Step {
        let reference: URLReference
        do { reference = URLReference(try url.asURL().relativeString) } catch {
            throw AsyncNetError(.pagingFailed, "The next page's URL is malformed", underlyingError: error)
        }
        guard let target = reference.resolved(against: URLReference(page.url.absoluteString)).url else {
            throw AsyncNetError(.pagingFailed, "The next page's URL cannot be resolved against the page's URL")
        }
        return try step(to: target, after: page)
    }

    private func checked(_ target: URL, after page: HTTPResponseHead) throws(AsyncNetError) -> URL {
        do throws(AsyncNetError) { _ = try target.checkedForHTTP() } catch {
            throw AsyncNetError(
                .pagingFailed, "The next page's URL cannot be requested: \(error.message)", underlyingError: error)
        }
        let isDowngrade = page.url.scheme?.lowercased() == "https" && target.scheme?.lowercased() == "http"
        guard !isDowngrade || redirects.allowsInsecure else {
            throw AsyncNetError(
                .pagingFailed,
                "A next page over http after one over https was refused; allow it with .follow(allowingInsecure: true)")
        }
        return target
    }

    /// Notes a request that is about to be sent, and refuses one that would bring an earlier page again.
    mutating func begin(_ request: TransportRequest) throws(AsyncNetError) {
        guard let identity = Self.identity(of: request, at: request.head.url) else { return }
        guard visited.insert(identity).inserted else {
            throw AsyncNetError(.pagingFailed, "The pages form a loop: the next page was requested before")
        }
    }

    /// Notes the URL that a request was redirected to.
    mutating func arrive(at url: URL, with request: TransportRequest) {
        if let identity = Self.identity(of: request, at: url) { visited.insert(identity) }
    }

    /// `nil` for a body that is not in memory and may differ each time.
    private static func identity(of request: TransportRequest, at url: URL) -> Identity? {
        guard request.body.isInMemory else { return nil }
        var reference = URLReference(url.absoluteString)
        reference.fragment = nil
        return Identity(
            method: request.head.method, url: reference.text, headers: request.head.headers, body: request.body.data)
    }

    /// The options as they apply to this step: a credential is for the first request's origin only.
    func options(_ options: RequestOptions, for step: Step) -> RequestOptions {
        var options = options
        guard step.request.head.url.origin != first.head.url.origin else {
            options.credential = options.credential ?? credential
            return options
        }
        options.credential = nil
        options.interceptors.append(OriginGuard(origin: first.head.url.origin, redirects, step.ownHeaders))
        return options
    }
}

/// Removes the secrets that earlier adapters have added to a request for another origin, as a redirect would.
private struct OriginGuard: RequestAdapter, NonBlocking {
    private let origin: String
    private let redirects: RedirectHandler
    /// The headers that the closure of ``NextPage/request(_:)`` set: they stay.
    private let own: HTTPHeaders

    init(origin: String, _ redirects: RedirectHandler, _ own: HTTPHeaders) {
        (self.origin, self.redirects, self.own) = (origin, redirects, own)
    }

    func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest { request }

    func adapt(_ request: TransportRequest, context: RequestContext) async throws -> TransportRequest {
        guard request.head.url.origin != origin else { return request }
        var request = request
        _ = PasswordCredential.take(from: &request)
        let before = request.head.headers
        request.removeSecrets(redirects)
        let after = request.head.headers
        for header in own where before.contains(name: header.name) && !after.contains(name: header.name) {
            request.head.headers.add(header)
        }
        return request
    }
}
