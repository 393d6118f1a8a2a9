import Foundation
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

    private final class Writer: CacheWriter {
        let whenCommitted: @Sendable () -> Void
        init(whenCommitted: @escaping @Sendable () -> Void) { self.whenCommitted = whenCommitted }
        func append(_ chunk: Data) async -> Bool { true }
        func commit() async { whenCommitted() }
    }

    @Test("A response whose URL is removed while its body is committed is removed once more", arguments: [true, false])
    func committed(_ isRemoved: Bool) async {
        let (removals, removed) = (CacheRemovals(), Counter())
        let start = removals.now
        let writer = Writer { if isRemoved { removals.remove("a") } }
        let checked = CheckedWriter(writer) {
            !removals.hasRemoved("a", since: start)
        } remove: {
            _ = removed.next()
        }
        await checked.commit()
        #expect(removed.value == (isRemoved ? 1 : 0))
    }

    @Test("25,000 removals take limited memory and all stay in effect")
    func many() {
        let removals = CacheRemovals()
        let start = removals.now
        for number in 0..<25_000 { removals.remove(CacheKey(url: "\(number)")) }
        #expect(removals.hasRemoved("0", since: start) && removals.hasRemoved("24999", since: start))
    }
}
