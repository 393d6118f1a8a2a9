public import Foundation

/// Stores responses, so that requests of the same URL need no server, or only its confirmation: a private cache of RFC
/// 9111, with stale-while-revalidate and stale-if-error (RFC 5861).
///
///     let session = Session(configuration: .init(cache: HTTPCache()))
///     let response = await session.request(url).serializing(User.self).response
///     print(response.metrics.cacheOutcome)        // .hit, .revalidated, .stale, .miss, .bypassed
///
/// Responses to GET and QUERY are stored if the server allows it, responses to QUERY by the content of the request too.
/// A request with an unsafe method removes the stored responses of its URL. Any number of sessions may share a cache. A
/// response is stored when its body has been read to its end, and not if the body is larger than an eighth of the
/// capacity. When the capacity is used up, the least recently used responses are removed.
///
/// Responses to requests with different credentials, or other secret headers such as `X-API-Key`, are kept apart unless
/// the server calls them `public`. Cookies separate responses that the server calls `private`, or whose `Vary` names
/// `Cookie`. For a program that acts for many users, see ``partition(_:)``.
public actor HTTPCache {
    nonisolated let store: any CacheStore
    /// The hash of the partition's name; empty for a cache that is no partition.
    nonisolated let partition: String
    nonisolated let willStore: WillStore?
    private var counts = CacheStatistics()
    /// The removals from this cache and from its partitions.
    nonisolated let removals: CacheRemovals

    /// The largest body that is stored takes one eighth of the capacity.
    static let partOfBody: Int64 = 8
    /// The most responses of one URL: each request may have another value of a header that `Vary` names.
    static let mostVariants = 32

    /// A cache in memory, which ends with the process.
    ///
    /// - Parameters:
    ///   - capacity: How many bytes the stored responses may take, 64 MiB by default.
    ///   - willStore: Decides what is stored of each response; see ``WillStore``.
    public init(capacity: Int = 64 << 20, willStore: WillStore? = nil) {
        self.init(MemoryCacheStore(capacity: capacity), willStore)
    }

    /// A cache in a folder, which outlives the process, and which several processes may use at the same time.
    ///
    /// Only this user may read the files. A file that was damaged, such as by a power failure, counts as a response
    /// that is not stored.
    ///
    /// - Parameters:
    ///   - directory: The folder, which is made if it does not exist, and which only caches may use.
    ///   - capacity: How many bytes the files may take, 256 MiB by default; with several processes somewhat more.
    ///   - willStore: Decides what is stored of each response; see ``WillStore``.
    /// - Throws: `.fileNotWritable` if the folder cannot be made or written to.
    public init(directory: URL, capacity: Int = 256 << 20, willStore: WillStore? = nil) throws(AsyncNetError) {
        self.init(try DiskCacheStore(directory, capacity: capacity), willStore)
    }

    private init(
        _ store: any CacheStore, _ willStore: WillStore?, partition: String = "",
        removals: CacheRemovals = CacheRemovals()
    ) {
        self.store = store
        self.willStore = willStore
        self.partition = partition
        self.removals = removals
    }

    /// A separate cache, which shares capacity, folder and `willStore` with this cache, but no responses.
    ///
    ///     let session = Session(configuration: .init(cache: cache.partition("user-7")))
    ///
    /// For a process that acts for many users: a private cache of RFC 9111 has one user. The same name leads to the
    /// same responses, also in another process that uses the folder; files contain only a hash of the name. A request
    /// uses, stores and removes responses of its own partition only. A partition can have partitions of its own.
    public nonisolated func partition(_ name: String) -> HTTPCache {
        let hash = Data("\(partition)\n\(name)".utf8).sha256
        return HTTPCache(store, willStore, partition: hash, removals: removals)
    }

    /// The partition's name in `store`; `nil` for all partitions.
    private nonisolated var part: String? { partition.isEmpty ? nil : partition }

    /// How often this cache was used, and how much it stores. Of a partition, only its own stored responses count; of a
    /// cache that is no partition, also those of its partitions.
    public var statistics: CacheStatistics {
        get async {
            let usage = await store.usage(of: part)
            var statistics = counts
            (statistics.entries, statistics.bytes) = (usage.entries, usage.bytes)
            return statistics
        }
    }

    /// Removes the stored responses of an absolute URL, but not the responses of this cache's partitions. Does nothing
    /// for a text that is no absolute URL.
    public func remove(_ url: some URLConvertible) async {
        guard let url = try? url.asURL() else { return }
        await removeResponses(of: url)
    }

    /// Removes all stored responses of this partition, or of this cache and its partitions. A response that is being
    /// received now is not stored either.
    public func removeAll() async {
        removals.removeAll(in: part)
        await store.removeAll(in: part)
    }

    nonisolated func removeResponses(of url: URL) async {
        let key = CacheKey(partition: partition, url: CacheRequest.key(of: url, url.absoluteString))
        removals.remove(key)
        await store.removeAll(of: key)
    }

    func count(_ outcome: CacheOutcome) { counts.count(outcome) }

    /// Decides what a cache stores of a response to GET or QUERY.
    ///
    ///     let cache = HTTPCache { request, response in
    ///         if request.url.path().hasPrefix("/private") { return .doNotStore }
    ///         var headers = response.headers
    ///         headers.remove("Set-Cookie")
    ///         return .modify(headers)
    ///     }
    ///
    /// The closure gets the request as it is sent, with cookies and credentials. It is called when the response's head
    /// has arrived, and again when a 304 has changed the headers of a stored response. It runs on a thread that it may
    /// block. The cache does not call the closure for a response that it never stores: a response to a request with
    /// `no-store` or ``CacheMode/noStore``, and the statuses 304, 401, 407, 416, 421 and 425.
    public typealias WillStore = @Sendable (_ request: HTTPRequestHead, _ response: HTTPResponseHead) -> Storing

    /// What is stored of a response.
    public enum Storing: Sendable {
        /// The response as it is, if RFC 9111 §3 allows it.
        case store
        /// Nothing. A stored response that this one supersedes is removed.
        case doNotStore
        /// The response with these headers in place of its own, such as with another `Cache-Control`, if RFC 9111 §3
        /// allows storing it with these headers. The request itself gets the response with its own headers.
        /// `Content-Encoding` and `Content-Range` must fit the body.
        case modify(HTTPHeaders)
    }
}

extension HTTPCache: CustomReflectable {
    /// What `dump` shows: the type of the store, without the stored responses.
    public nonisolated var customMirror: Mirror { Mirror(self, children: ["store": "\(type(of: store))"]) }
}
