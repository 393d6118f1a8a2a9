import Foundation

/// Keeps responses by partition and URL. Its caller applies the rules of RFC 9111.
protocol CacheStore: Sendable {
    /// The stored responses of a key, newest first.
    func entries(_ key: CacheKey) async -> [CacheEntry]

    /// The writer of a response's body; `nil` if the response cannot be stored. The complete response replaces the
    /// stored response of the same variant.
    func writer(_ key: CacheKey, _ response: StoredResponse) async -> (any CacheWriter)?

    /// Replaces the head of a stored response; its body stays. Does nothing if the response is not stored any more.
    func update(_ entry: CacheEntry, _ key: CacheKey, to response: StoredResponse) async

    /// Removes a stored response, or the response of the same variant that has replaced it.
    func remove(_ entry: CacheEntry, _ key: CacheKey) async

    /// Removes the stored responses of a key's URL, including the responses to a QUERY of any content.
    func removeAll(of key: CacheKey) async

    /// Removes the stored responses of a partition, or all responses if it is `nil`.
    func removeAll(in partition: String?) async

    /// How many responses of a partition are stored, and how many bytes they take; with `nil`, of the whole store.
    func usage(of partition: String?) async -> (entries: Int, bytes: Int64)

    /// The largest body that is stored, in bytes.
    var maximumBodySize: Int64 { get }
}

struct CacheEntry: Sendable {
    let response: StoredResponse
    let body: any CachedBody
}

/// The body of a stored response, which can be read even after the response was removed.
protocol CachedBody: Sendable {
    var size: Int64 { get }

    /// - Returns: `nil` if the body is damaged.
    func read(_ bytes: Range<Int64>) async -> TransportBody?
}

extension CachedBody {
    func read() async -> TransportBody? { await read(0..<size) }
}

/// Writes the body of one response. If the writer is deallocated before `commit` was called, the body is discarded.
protocol CacheWriter: AnyObject, Sendable {
    /// - Returns: `false` if the body cannot be stored; the writer is not used any more then.
    func append(_ chunk: Data) async -> Bool
    /// The body is complete: other requests get it from now on.
    func commit() async
}
