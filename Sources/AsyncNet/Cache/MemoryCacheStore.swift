import Foundation

actor MemoryCacheStore: CacheStore {
    private var stored: RecentEntries
    nonisolated let maximumBodySize: Int64

    init(capacity: Int) {
        stored = RecentEntries(capacity: capacity)
        maximumBodySize = Int64(max(0, capacity)) / HTTPCache.partOfBody
    }

    func entries(_ key: CacheKey) -> [CacheEntry] {
        stored.entries(key).map { CacheEntry(response: $0.response, body: MemoryBody(data: $0.body)) }
    }

    nonisolated func writer(_ key: CacheKey, _ response: StoredResponse) -> (any CacheWriter)? {
        MemoryWriter(self, key: key, response: response)
    }

    func update(_ entry: CacheEntry, _ key: CacheKey, to response: StoredResponse) {
        guard let body = entry.body as? MemoryBody,
            stored.entries(key).contains(where: { $0.response == entry.response })
        else { return }
        add(response, body: body.data, for: key)
    }

    func remove(_ entry: CacheEntry, _ key: CacheKey) { stored.remove(key, entry.response.variant) }

    func add(_ response: StoredResponse, body: Data, for key: CacheKey) { stored.add(response, body: body, for: key) }

    func removeAll(of key: CacheKey) { stored.removeAll(of: key) }

    func removeAll(in partition: String?) { stored.removeAll(in: partition) }

    func usage(of partition: String?) -> (entries: Int, bytes: Int64) { stored.usage(of: partition) }
}

private struct MemoryBody: CachedBody {
    let data: Data

    var size: Int64 { Int64(data.count) }

    func read(_ bytes: Range<Int64>) -> TransportBody? {
        let bytes = bytes.clamped(to: 0..<size)
        return TransportBody(data.dropFirst(Int(bytes.lowerBound)).prefix(bytes.count))
    }
}

private final class MemoryWriter: CacheWriter {
    private let store: MemoryCacheStore
    private let key: CacheKey
    private let response: StoredResponse
    private let body = Locked(Data())

    init(_ store: MemoryCacheStore, key: CacheKey, response: StoredResponse) {
        self.store = store
        self.key = key
        self.response = response
    }

    func append(_ chunk: Data) -> Bool {
        body.withLock { body in
            guard Int64(body.count + chunk.count) <= store.maximumBodySize else { return false }
            // The first chunk is not copied.
            if body.isEmpty { body = chunk } else { body.append(chunk) }
            return true
        }
    }

    func commit() async {
        let body = body.withLock { $0 }
        // A short body is copied: it may be a part of a larger buffer, which would stay in memory with the body.
        await store.add(response, body: body.count < 64 * 1024 ? Data(Array(body)) : body, for: key)
    }
}
