public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension CookieJar {
    /// Writes the cookies back to the file that the jar was read from: see ``save(to:)``.
    ///
    /// Of two that run at once the later one's state is what the file has in the end.
    ///
    /// - Throws: ``AsyncNetError`` with code `.fileNotWritable`, also if the jar has no file.
    public func save() async throws(AsyncNetError) {
        guard let file else {
            throw AsyncNetError(.fileNotWritable, "The cookie jar was made without a file; use save(to:)")
        }
        generation += 1
        try await file.write(NetscapeCookies.text(cookies), generation: generation)
    }

    /// Writes all cookies, those of the session too, to a file that curl, wget and Python read.
    ///
    /// The file is replaced in one step and may be read and written by its owner only (mode 0600). `SameSite` has no
    /// place in it. Cookies with a tab, which curl drops, are written as comments that only this library reads.
    ///
    /// - Throws: ``AsyncNetError`` with code `.fileNotWritable`, also if there is something that is no regular file.
    public func save(to url: URL) async throws(AsyncNetError) {
        try await CookieFile(url).write(NetscapeCookies.text(cookies), generation: 1)
    }

    /// Adds the cookies of Foundation's storage, in the place of those that are here.
    public func load(from storage: HTTPCookieStorage) {
        for cookie in (storage.cookies ?? []).compactMap({ Cookie($0) }) { set(cookie) }
    }

    /// Adds this jar's cookies to Foundation's storage, which knows no `SameSite` on Linux.
    public func copy(to storage: HTTPCookieStorage) {
        for cookie in cookies.compactMap(\.httpCookie) { storage.setCookie(cookie) }
    }
}
