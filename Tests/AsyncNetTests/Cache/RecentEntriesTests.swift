import Foundation
import Testing

@testable import AsyncNet

@Suite("Cache in memory")
struct RecentEntriesTests {
    private func response(_ language: String = "") throws -> StoredResponse {
        try .fixture(["Vary": "Accept-Language"], for: .get(["Accept-Language": language]))
    }

    /// The cost of an entry with a key of one character and a body of 100 bytes.
    private func cost() throws -> Int {
        var entries = RecentEntries(capacity: .max)
        entries.add(try response(), body: Data(count: 100), for: "k")
        return entries.bytes
    }

    @Test("The least recently used entries are removed first, and reading an entry counts as its use")
    func recency() throws {
        var entries = RecentEntries(capacity: 3 * (try cost()))
        for key in ["a", "b", "c"] as [CacheKey] { entries.add(try response(), body: Data(count: 100), for: key) }
        #expect(entries.count == 3)
        #expect(entries.entries("a").count == 1)
        entries.add(try response(), body: Data(count: 100), for: "d")
        #expect((["a", "b", "c", "d"] as [CacheKey]).map { entries.entries($0).count } == [1, 0, 1, 1])
        entries.add(try response(), body: Data(count: 2 * (try cost())), for: "e")
        #expect(entries.count == 1 && entries.entries("e").count == 1)
        #expect(entries.bytes <= entries.capacity)
    }

    @Test("A new entry replaces the one of the same URL and variant, and other variants stay, newest first")
    func variants() throws {
        var entries = RecentEntries(capacity: 1 << 20)
        entries.add(try response("en"), body: Data("1".utf8), for: "a")
        entries.add(try response("de"), body: Data("2".utf8), for: "a")
        entries.add(try response("en"), body: Data("3".utf8), for: "a")
        #expect(entries.entries("a").map { String(decoding: $0.body, as: UTF8.self) } == ["3", "2"])
        entries.removeAll(of: "a")
        #expect(entries.count == 0 && entries.bytes == 0)
    }

    @Test("At most 32 variants of one URL are kept")
    func manyVariants() throws {
        var entries = RecentEntries(capacity: 1 << 20)
        for number in 0..<100 { entries.add(try response("\(number)"), body: Data("\(number)".utf8), for: "a") }
        #expect(entries.entries("a").map { String(decoding: $0.body, as: UTF8.self) }.first == "99")
        #expect(entries.count == 32)
    }

    @Test("An entry larger than the capacity is not kept, and removes no other", arguments: [0, -1, 2000])
    func tooLarge(_ capacity: Int) throws {
        var entries = RecentEntries(capacity: capacity)
        entries.add(try response(), body: Data(), for: "a")
        let before = entries.count
        entries.add(try response(), body: Data(count: 5000), for: "b")
        #expect(entries.entries("b").isEmpty && entries.count == before)
    }

    @Test("After any sequence of changes the sum of bytes is correct and within the capacity")
    func anySequence() throws {
        var (random, entries) = (SeededRandom(state: 7), RecentEntries(capacity: 10_000))
        for _ in 0..<2000 {
            let key = CacheKey(
                url: "\(Int.random(in: 0..<20, using: &random))", content: Bool.random(using: &random) ? "" : "query")
            switch Int.random(in: 0..<10, using: &random) {
            case 0: entries.removeAll(of: key)
            case 1...4: _ = entries.entries(key)
            default:
                entries.add(
                    try response("\(Int.random(in: 0..<3, using: &random))"),
                    body: Data(count: Int.random(in: 0..<2000, using: &random)), for: key)
            }
            var all: [RecentEntries.Entry] = []
            for url in 0..<20 {
                for content in ["", "query"] { all += entries.entries(CacheKey(url: "\(url)", content: content)) }
            }
            #expect(all.count == entries.count)
            #expect(all.map(\.cost).reduce(0, +) == entries.bytes)
            #expect(entries.bytes <= entries.capacity)
        }
    }
}
