import Testing

@testable import AsyncNet

@Suite("Removals from a cache")
struct CacheRemovalsTests {
    @Test("A removal drops responses to its URL whose requests began before it, and no others")
    func order() {
        let removals = CacheRemovals()
        let start = removals.now
        removals.remove("a")
        #expect(removals.hasRemoved("a", since: start) && !removals.hasRemoved("b", since: start))
        let later = removals.now
        #expect(!removals.hasRemoved("a", since: later))
        removals.removeAll()
        #expect(removals.hasRemoved("a", since: later) && removals.hasRemoved("b", since: later))
        #expect(!removals.hasRemoved("a", since: removals.now))
    }

    @Test("The removal of a URL drops responses to a QUERY of it")
    func queries() {
        let removals = CacheRemovals()
        let start = removals.now
        removals.remove("a")
        #expect(removals.hasRemoved(CacheKey(url: "a", content: "query"), since: start))
        #expect(!removals.hasRemoved(CacheKey(url: "b", content: "query"), since: start))
    }

    @Test("Removals of any number of URLs take limited memory, and none is forgotten")
    func many() {
        let removals = CacheRemovals()
        let start = removals.now
        for number in 0..<25_000 { removals.remove(CacheKey(url: "\(number)")) }
        #expect(removals.hasRemoved("0", since: start) && removals.hasRemoved("24999", since: start))
    }
}
