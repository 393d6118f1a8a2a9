/// Under what a response is stored.
struct CacheKey: Hashable, Sendable {
    /// The partition of the cache: see ``HTTPCache/partition(_:)``; empty for the cache itself.
    var partition = ""
    /// The URL without its fragment; see ``CacheRequest/key``.
    var url: String

    /// A text that only equal keys have: a partition is a hash, and no URL contains a line feed.
    var text: String { partition.isEmpty ? url : "\(partition)\n\(url)" }
}
