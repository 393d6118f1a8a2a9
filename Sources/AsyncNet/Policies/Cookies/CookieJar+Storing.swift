public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension CookieJar {
    /// Writes the cookies to the file that the jar was read from, as ``save(to:)`` does.
    ///
    /// After overlapping calls the file contains the latest state.
    ///
    /// - Throws: ``AsyncNetError`` with code `.fileNotWritable`, also if the jar has no file.
    public func save() async throws(AsyncNetError) {
        guard let file else {
            throw AsyncNetError(.fileNotWritable, "The cookie jar has no file; use save(to:)")
        }
        generation += 1
        try await file.write(NetscapeCookies.text(cookies), generation: generation)
    }

    /// Writes all cookies, including session cookies, to a file that curl, wget and Python read.
    ///
    /// The file is replaced in one step; only its owner may read and write it (mode 0600). `SameSite` is not stored.
    /// Cookies with a tab, which curl drops, are written as comments that only this library reads.
    ///
    /// - Throws: ``AsyncNetError`` with code `.fileNotWritable`, also if the URL is that of a folder or a special
    ///   file.
    public func save(to url: URL) async throws(AsyncNetError) {
        try await CookieFile(url).write(NetscapeCookies.text(cookies), generation: 1)
    }

    /// Adds the cookies of Foundation's storage, replacing those of the same name, domain and path.
    public func load(from storage: HTTPCookieStorage) {
        for cookie in (storage.cookies ?? []).compactMap({ Cookie($0) }) { set(cookie) }
    }

    /// Adds this jar's cookies to Foundation's storage, which has no `SameSite` on Linux.
    public func copy(to storage: HTTPCookieStorage) {
        for cookie in cookies.compactMap(\.httpCookie) { storage.setCookie(cookie) }
    }
}
