public import Foundation

/// Keeps the cookies that servers set and gives them to the requests they are for, as RFC 6265bis says.
///
///     let session = Session(configuration: .init(cookieJar: CookieJar()))
///
///     let jar = try await CookieJar(file: url)    // a file of curl's and browsers' format, read now
///     try await jar.save()                        // written back in one step, for its owner's eyes only
///
/// A server's cookie lives at most 400 days. Up to 180 cookies of a domain are kept and 3000 in all; beyond that those
/// that were sent longest ago go first. When 3000 are too many, sites with more than 50 cookies give way before any
/// other, the site with the most first: no site takes the place of others. A site is a registrable domain such as
/// `example.com` with all below it. Over `http`, also to `localhost`, no secure cookie is set, replaced or sent.
/// Several sessions may share a jar.
///
/// Of one response the first 180 `Set-Cookie` lines count and the others are ignored, so that a server cannot keep the
/// jar busy (curl takes 50; browsers, which bound a response's headers instead, keep 180 cookies of a site).
///
/// Without `isPublicSuffix` a server below `co.uk` can set cookies for all of `co.uk`, and all hosts below `co.uk` are
/// one site: the list of such domains changes by the week and is not part of this library.
public actor CookieJar {
    var contents: CookieStore
    let now: @Sendable () -> Date
    let file: CookieFile?
    /// How often the jar was saved.
    var generation = 0

    /// An empty jar in memory.
    ///
    /// - Parameters:
    ///   - isPublicSuffix: Whether no cookie may be for all of a domain, such as `co.uk`; it gets lower-case names.
    ///     Addresses and single labels, such as `com`, are refused in any case. It is called inside the jar and must be
    ///     quick.
    ///   - now: The clock.
    public init(
        isPublicSuffix: @escaping @Sendable (String) -> Bool = { _ in false },
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        contents = CookieStore(isPublicSuffix: isPublicSuffix)
        self.now = now
        file = nil
    }

    /// A jar with the cookies of a Netscape cookie file, also session cookies; an empty one if there is no such file.
    ///
    /// The file is read once, here, and written by ``save()``. Lines that are no cookies are passed over.
    ///
    /// - Throws: ``AsyncNetError`` with code `.fileNotReadable`.
    public init(
        file url: URL, isPublicSuffix: @escaping @Sendable (String) -> Bool = { _ in false },
        now: @escaping @Sendable () -> Date = { Date() }
    ) async throws(AsyncNetError) {
        contents = CookieStore(isPublicSuffix: isPublicSuffix)
        self.now = now
        let file = CookieFile(url)
        self.file = file
        let moment = now()
        for cookie in NetscapeCookies.read(try await file.read(), now: moment) { _ = contents.set(cookie, now: moment) }
    }

    /// All that have not ended, in the order in which they were first set.
    public var cookies: [Cookie] { contents.cookies(now: now()) }

    /// Those that a request to `url` gets, in the order in which they are sent.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - isSameSite: Whether the request is caused by the program or a page of the same site; `false` leaves out what
    ///     `SameSite` keeps back.
    ///   - isTopLevelNavigation: Whether a request from another site is a user's going to that page, by a safe method.
    public func cookies(for url: URL, isSameSite: Bool = true, isTopLevelNavigation: Bool = false) -> [Cookie] {
        guard let origin = CookieOrigin(url) else { return [] }
        return contents.cookies(
            for: origin, CookieContext(isSameSite: isSameSite, isTopLevelNavigation: isTopLevelNavigation), now: now())
    }

    /// The value of `Cookie` for a request to `url`, `nil` if it gets none.
    ///
    /// Unlike ``cookies(for:isSameSite:isTopLevelNavigation:)``, whose parameters it has, it counts as sending when
    /// cookies must make room.
    public func header(for url: URL, isSameSite: Bool = true, isTopLevelNavigation: Bool = false) -> String? {
        header(for: url, CookieContext(isSameSite: isSameSite, isTopLevelNavigation: isTopLevelNavigation), without: [])
    }

    /// The same for a request that has cookies of these names already.
    package func header(for url: URL, _ context: CookieContext = CookieContext(), without names: Set<String>) -> String?
    {
        guard contents.count > 0, let origin = CookieOrigin(url) else { return nil }
        return contents.header(for: origin, context, without: names, now: now())
    }

    /// Keeps what a response from `url` sets. Values that RFC 6265bis tells to ignore are ignored, and so are those
    /// after the first 180.
    ///
    /// Many values are taken in pieces; between them other callers use the jar.
    ///
    /// - Parameters:
    ///   - setCookie: Each value of `Set-Cookie` by itself, in the order they came.
    ///   - url: The URL that the response is from.
    ///   - isSameSite: Whether the request was caused by the program or a page of the same site.
    ///   - isTopLevelNavigation: Whether a request from another site was a user's going to that page.
    /// - Returns: The cookies that were set; not those that the server ended.
    @discardableResult
    public func store(
        setCookie: [String], from url: URL, isSameSite: Bool = true, isTopLevelNavigation: Bool = false
    ) async -> [Cookie] {
        guard !setCookie.isEmpty, let origin = CookieOrigin(url) else { return [] }
        let context = CookieContext(isSameSite: isSameSite, isTopLevelNavigation: isTopLevelNavigation)
        var (kept, rest) = ([Cookie](), setCookie.prefix(Self.maximumValues))
        while true {
            kept += contents.receive(rest.prefix(Self.valuesAtOnce), from: origin, context, now: now())
            rest = rest.dropFirst(Self.valuesAtOnce)
            guard !rest.isEmpty else { return kept }
            await Task.yield()
        }
    }

    /// Of one response; as many as are kept of a domain.
    package static let maximumValues = 180
    /// Before other callers get their turn.
    package static let valuesAtOnce = 30

    /// Keeps a cookie of the program's own, in the place of the one of the same name, domain and path. One that has
    /// ended is removed.
    ///
    /// - Returns: `false` for one that could not be sent: larger than 4096 octets, with characters that a cookie cannot
    ///   have, `SameSite=None` but not secure, or not what its prefix `__Host-` or `__Secure-` promises.
    @discardableResult
    public func set(_ cookie: Cookie) -> Bool { contents.set(cookie, now: now()) }

    /// Removes the cookie of this one's name, domain and path.
    public func remove(_ cookie: Cookie) { contents.remove { $0.isSame(as: cookie) } }

    /// Removes the cookies for which the closure, which is called inside the jar, says so.
    public func remove(where isUnwanted: @Sendable (Cookie) -> Bool) { contents.remove(where: isUnwanted) }

    /// Removes those without an expiry, as a browser does when it is closed.
    public func removeSessionCookies() { contents.remove { $0.expires == nil } }

    public func removeAll() { contents.removeAll() }
}

extension CookieJar: CustomReflectable {
    /// What `dump` shows: nothing.
    public nonisolated var customMirror: Mirror { Mirror(self, children: []) }
}
