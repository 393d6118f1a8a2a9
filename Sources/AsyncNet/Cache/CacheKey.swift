/// The key under which a response is stored.
struct CacheKey: Hashable, Sendable {
    /// The partition of the cache: see ``HTTPCache/partition(_:)``; empty for the cache itself.
    var partition = ""
    var url: String
    /// The hash of a QUERY's content; empty for GET and HEAD. See ``CacheRequest/content``.
    var content = ""

    /// The key of the URL, whose removal removes all responses to a QUERY of the URL too.
    var resource: CacheKey { CacheKey(partition: partition, url: url) }

    /// A text that only equal keys have: a partition and a content are hashes, and no URL contains a line feed.
    var text: String {
        guard content.isEmpty else { return "\(partition)\n\(url)\n\(content)" }
        return partition.isEmpty ? url : "\(partition)\n\(url)"
    }
}
