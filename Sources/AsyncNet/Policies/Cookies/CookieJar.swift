public import Foundation

/// Stores the cookies of responses and sends them with requests (RFC 6265bis).
///
///     let session = Session(configuration: .init(cookieJar: CookieJar()))
///
///     let jar = try await CookieJar(file: url)    // in the format of curl and browsers
///     try await jar.save()                        // replaces the file in one step, with mode 0600
///
/// A server's cookie lives at most 400 days. A jar keeps up to 180 cookies of a domain and 3000 in all, and first
/// removes the cookies that were sent longest ago; above 3000, first those of sites with more than 50 cookies, so that
/// no site displaces the cookies of others. A site is a registrable domain such as `example.com` with all domains below
/// it. Over `http`, also to `localhost`, no secure cookie is set, replaced or sent. Several sessions may share a jar.
///
/// Only the first 180 `Set-Cookie` lines of a response are stored, which limits the work that a server can cause.
///
/// A server below a public suffix such as `co.uk` cannot set cookies for all hosts below it (RFC 6265bis §5.7).
/// ``PublicSuffixes`` decides that, or a closure of yours.
public actor CookieJar {
    var contents: CookieStore
    let now: @Sendable () -> Date
    let file: CookieFile?
    var generation = 0

    /// Creates an empty jar in memory.
    ///
    /// `isPublicSuffix` says whether a domain in lower case, such as `co.uk`, is a public suffix; it is called on the
    /// jar's actor and must return quickly. Addresses and single labels, such as `com`, always count as public
    /// suffixes. `now` returns the time that decides whether a cookie has expired.
    public init(
        isPublicSuffix: @escaping @Sendable (String) -> Bool = { PublicSuffixes.contains($0) },
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        contents = CookieStore(isPublicSuffix: isPublicSuffix)
        self.now = now
        file = nil
    }

    /// Creates a jar with the cookies of a Netscape cookie file, including session cookies; empty if there is no such
    /// file.
    ///
    /// The file is read once, here, and written by ``save()``. Invalid lines are skipped.
    ///
    /// - Throws: ``AsyncNetError`` with code `.fileNotReadable`.
    public init(
        file url: URL, isPublicSuffix: @escaping @Sendable (String) -> Bool = { PublicSuffixes.contains($0) },
        now: @escaping @Sendable () -> Date = { Date() }
    ) async throws(AsyncNetError) {
        contents = CookieStore(isPublicSuffix: isPublicSuffix)
        self.now = now
        let file = CookieFile(url)
        self.file = file
        let moment = now()
        for cookie in NetscapeCookies.read(try await file.read(), now: moment) { _ = contents.set(cookie, now: moment) }
    }

    /// All cookies that have not expired, in the order in which they were first set.
    public var cookies: [Cookie] { contents.cookies(now: now()) }

    /// The cookies for a request to `url`, in the order in which they are sent.
    ///
    /// `isSameSite` is `false` for a request that a page of another site causes, which excludes cookies by their
    /// `SameSite` attribute. `isTopLevelNavigation` is `true` if such a request has a safe method and navigates the
    /// user to `url`.
    public func cookies(for url: URL, isSameSite: Bool = true, isTopLevelNavigation: Bool = false) -> [Cookie] {
        guard let origin = CookieOrigin(url) else { return [] }
        return contents.cookies(
            for: origin, CookieContext(isSameSite: isSameSite, isTopLevelNavigation: isTopLevelNavigation), now: now())
    }

    /// The value of `Cookie` for a request to `url`, `nil` if there are no cookies for it.
    ///
    /// Unlike ``cookies(for:isSameSite:isTopLevelNavigation:)``, this call counts as sending the cookies: a full jar
    /// first removes the cookies that were sent longest ago.
    public func header(for url: URL, isSameSite: Bool = true, isTopLevelNavigation: Bool = false) -> String? {
        header(for: url, CookieContext(isSameSite: isSameSite, isTopLevelNavigation: isTopLevelNavigation), without: [])
    }

    /// The value of `Cookie`, without cookies of these names, which the request sets itself.
    func header(for url: URL, _ context: CookieContext = CookieContext(), without names: Set<String>) -> String? {
        guard contents.count > 0, let origin = CookieOrigin(url) else { return nil }
        return contents.header(for: origin, context, without: names, now: now())
    }

    /// Stores the cookies of a response from `url`, and returns them without those that the server expired.
    ///
    /// Ignores values that RFC 6265bis requires to ignore, and those after the first 180. Many values are stored in
    /// batches, between which other callers use the jar. `isSameSite` and `isTopLevelNavigation` are as for
    /// ``cookies(for:isSameSite:isTopLevelNavigation:)``.
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

    /// The number of values stored from one response, equal to the number of cookies kept for a domain.
    static let maximumValues = 180
    /// The number of values stored before other callers can use the jar.
    static let valuesAtOnce = 30

    /// Stores a cookie of the program's own, replacing the cookie of the same name, domain and path. An expired cookie
    /// removes that cookie.
    ///
    /// - Returns: `false` for a cookie that could not be sent, such as one larger than 4096 octets, with invalid characters, with
    ///   `SameSite=None` but not secure, or not as its prefix `__Host-` or `__Secure-` requires.
    @discardableResult
    public func set(_ cookie: Cookie) -> Bool { contents.set(cookie, now: now()) }

    /// Removes the cookie with this cookie's name, domain and path.
    public func remove(_ cookie: Cookie) { contents.remove { $0.isSame(as: cookie) } }

    /// Removes the cookies for which the closure, which is called on the jar's actor, returns `true`.
    public func remove(where isUnwanted: @Sendable (Cookie) -> Bool) { contents.remove(where: isUnwanted) }

    /// Removes the cookies without an expiry, as a browser does when it is closed.
    public func removeSessionCookies() { contents.remove { $0.expires == nil } }

    /// Removes all cookies.
    public func removeAll() { contents.removeAll() }
}

extension CookieJar: CustomReflectable {
    /// Shown by `dump`; contains no cookies.
    public nonisolated var customMirror: Mirror { Mirror(self, children: []) }
}
