import Testing

@testable import AsyncNet

@Suite("Removals from a cache")
struct CacheRemovalsTests {
    @Test("A removal applies to responses of its URL whose requests were sent before the removal")
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

    @Test("The removal of a URL applies to responses to a QUERY of that URL")
    func queries() {
        let removals = CacheRemovals()
        let start = removals.now
        removals.remove("a")
        #expect(removals.hasRemoved(CacheKey(url: "a", content: "query"), since: start))
        #expect(!removals.hasRemoved(CacheKey(url: "b", content: "query"), since: start))
    }

    @Test("25,000 removals take limited memory and all stay in effect")
    func many() {
        let removals = CacheRemovals()
        let start = removals.now
        for number in 0..<25_000 { removals.remove(CacheKey(url: "\(number)")) }
        #expect(removals.hasRemoved("0", since: start) && removals.hasRemoved("24999", since: start))
    }
}
