public import Foundation

/// Stores responses, so that requests of the same URL need no server, or only its confirmation: a private cache of RFC
/// 9111, with stale-while-revalidate and stale-if-error (RFC 5861).
///
///     let session = Session(configuration: .init(cache: HTTPCache()))
///     let response = await session.request(url).serializing(User.self).response
///     print(response.metrics.cacheOutcome)        // .hit, .revalidated, .stale, .miss, .bypassed
///
/// Responses to GET are stored if the server allows it; other methods remove what is stored of their URL. Any number of
/// sessions may share a cache. A response is stored when its body has been read to its end, and a body larger than an
/// eighth of the capacity is not stored. When the capacity is used up, the least recently used responses are removed.
///
/// Responses to requests with different credentials, or other secret headers such as `X-API-Key`, are kept apart unless the
/// server calls them `public`. Cookies separate responses that the server calls `private`, or whose `Vary` names `Cookie`.
public actor HTTPCache {
    nonisolated let store: any CacheStore
    private var counts = CacheStatistics()
    private nonisolated let removals = Locked(CacheRemovals())

    /// The largest body is this part of the capacity.
    static let partOfBody: Int64 = 8
    /// The most responses of one URL. A server with a `Vary` that each request has another value of would otherwise make
    /// each look-up slower.
    static let mostVariants = 32

    /// A cache in memory, which ends with the process.
    ///
    /// - Parameter capacity: How many bytes the stored responses may take, 64 MiB by default.
    public init(capacity: Int = 64 << 20) {
        store = MemoryCacheStore(capacity: capacity)
    }

    /// A cache in a folder, which outlives the process. Several processes may use the folder at the same time.
    ///
    /// A file that was damaged, such as by a power failure, counts as a response that is not stored. Only this user may
    /// read the files.
    ///
    /// - Parameters:
    ///   - directory: The folder, which is made if it does not exist, and which only caches may use.
    ///   - capacity: How many bytes the files may take, 256 MiB by default. Several processes may use somewhat more.
    /// - Throws: `.fileNotWritable` if the folder cannot be made or written to.
    public init(directory: URL, capacity: Int = 256 << 20) throws(AsyncNetError) {
        store = try DiskCacheStore(directory, capacity: capacity)
    }

    /// How often this cache was used, and how much is stored.
    public var statistics: CacheStatistics {
        get async {
            let usage = await store.usage()
            var statistics = counts
            (statistics.entries, statistics.bytes) = (usage.entries, usage.bytes)
            return statistics
        }
    }

    /// Removes the stored responses of an absolute URL. Does nothing if the text is no URL, or a relative one.
    public func remove(_ url: some URLConvertible) async {
        guard let url = try? url.asURL() else { return }
        await remove(key: CacheRequest.key(of: url, url.absoluteString))
    }

    /// Removes all stored responses. Those that are on their way are not stored either.
    public func removeAll() async {
        removals.withLock { $0.removeAll() }
        await store.removeAll()
    }

    nonisolated func remove(key: String) async {
        removals.withLock { $0.remove(key) }
        await store.remove(key)
    }

    /// The number of removals so far.
    nonisolated var removalTime: UInt64 { removals.withLock { $0.now } }

    /// Whether a URL was removed since.
    nonisolated func hasRemoved(_ key: String, since time: UInt64) -> Bool {
        removals.withLock { $0.hasRemoved(key, since: time) }
    }

    func count(_ outcome: CacheOutcome) { counts.count(outcome) }
}

extension HTTPCache: CustomReflectable {
    /// What `dump` shows: nothing of the stored responses.
    public nonisolated var customMirror: Mirror { Mirror(self, children: ["store": "\(type(of: store))"]) }
}
