import Foundation

/// Responses in memory. When they take more bytes than the capacity, the least recently used ones are removed.
struct RecentEntries {
    struct Entry {
        var key: CacheKey
        var response: StoredResponse
        var body: Data
        var cost: Int
    }

    let capacity: Int
    private(set) var bytes = 0
    private var entries: [Entry?] = []
    private var free: [Int] = []
    /// The indices in `entries` of a key's entries, the newest first.
    private var numbers: [CacheKey: [Int]] = [:]
    /// The keys of the responses to a QUERY, by the key of their URL.
    private var queries: [CacheKey: Set<CacheKey>] = [:]
    /// The indices of the entries by the time of their last use.
    private var uses = IndexedHeap<UInt64>()
    private var time: UInt64 = 0

    /// How many bytes an entry takes in memory beside its texts and body, roughly.
    private static let overhead = 512

    init(capacity: Int) { self.capacity = max(0, capacity) }

    var count: Int { uses.count }

    /// A key's entries, the newest first. The call counts as a use of each entry.
    mutating func entries(_ key: CacheKey) -> [Entry] {
        let found = (numbers[key] ?? []).compactMap { number in
            use(number)
            return entries[number]
        }
        return found.count < 2 ? found : found.sorted { $0.response.received > $1.response.received }
    }

    /// Adds an entry, in place of the entry of the same key and variant, unless that entry's response was requested
    /// later.
    mutating func add(_ response: StoredResponse, body: Data, for key: CacheKey) {
        let equal = (numbers[key] ?? []).filter { entries[$0]?.response.variant == response.variant }
        if equal.contains(where: { (entries[$0]?.response.requested ?? .distantPast) > response.requested }) { return }
        for number in equal { remove(number) }
        if let list = numbers[key], list.count >= HTTPCache.mostVariants, let oldest = list.last { remove(oldest) }
        let cost = Self.cost(response, body: body, for: key)
        guard cost <= capacity else { return }
        while bytes + cost > capacity, let least = uses.least { remove(least.number) }
        let number = free.popLast() ?? entries.count
        if number == entries.count { entries.append(nil) }
        entries[number] = Entry(key: key, response: response, body: body, cost: cost)
        numbers[key, default: []].insert(number, at: 0)
        if !key.content.isEmpty { queries[key.resource, default: []].insert(key) }
        bytes += cost
        use(number)
    }

    mutating func removeAll(of key: CacheKey) {
        remove(key.resource)
        for query in queries[key.resource] ?? [] { remove(query) }
    }

    private mutating func remove(_ key: CacheKey) {
        for number in numbers[key] ?? [] { remove(number) }
    }

    mutating func remove(_ key: CacheKey, _ variant: CacheVariant) {
        for number in numbers[key] ?? [] where entries[number]?.response.variant == variant { remove(number) }
    }

    /// - Parameter partition: The partition whose entries are removed; `nil` for all.
    mutating func removeAll(in partition: String? = nil) {
        guard let partition else { return self = RecentEntries(capacity: capacity) }
        for key in numbers.keys where key.partition == partition { remove(key) }
    }

    func usage(of partition: String?) -> (entries: Int, bytes: Int64) {
        guard let partition else { return (count, Int64(bytes)) }
        let own = entries.compactMap(\.self).filter { $0.key.partition == partition }
        return (own.count, own.reduce(0) { $0 + Int64($1.cost) })
    }

    private mutating func use(_ number: Int) {
        time += 1
        uses.set(number, time)
    }

    private mutating func remove(_ number: Int) {
        guard let entry = entries[number] else { return }
        bytes -= entry.cost
        entries[number] = nil
        free.append(number)
        uses.remove(number)
        numbers[entry.key]?.removeAll { $0 == number }
        guard numbers[entry.key]?.isEmpty == true else { return }
        numbers[entry.key] = nil
        guard !entry.key.content.isEmpty else { return }
        queries[entry.key.resource]?.remove(entry.key)
        if queries[entry.key.resource]?.isEmpty == true { queries[entry.key.resource] = nil }
    }

    private static func cost(_ response: StoredResponse, body: Data, for key: CacheKey) -> Int {
        response.headers.reduce(overhead + key.text.utf8.count + body.count) { sum, header in
            sum + header.name.utf8.count + header.value.utf8.count
        }
    }
}
