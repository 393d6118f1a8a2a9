import Foundation
import Testing

@testable import AsyncNet

@Suite("Kept memory")
struct KeptMemoryTests {
    private let kept = KeptMemory()

    /// Gives a new block of this size, as the end of a body does.
    private func give(_ size: Int) throws {
        kept.give(try #require(malloc(size)), capacity: size)
    }

    private func take(for length: Int) -> Int? {
        guard let memory = kept.take(for: length) else { return nil }
        free(memory.baseAddress)
        return memory.count
    }

    @Test("A kept block is taken for a body that fills at least half of it")
    func sizes() throws {
        #expect(take(for: 100_000) == nil)
        try give(200_000)
        #expect(take(for: 99_999) == nil)
        #expect(take(for: 200_001) == nil)
        #expect(take(for: 100_000) == 200_000)
        #expect(take(for: 100_000) == nil)
    }

    @Test("A block below 64 KiB or above 1 MiB is not kept", arguments: [65_535, 1_048_577])
    func neverKept(_ size: Int) throws {
        _ = take(for: 100_000)
        try give(size)
        #expect(take(for: size) == nil)
        #expect(take(for: min(size, 1_048_576)) == nil)
    }

    @Test("Of nine blocks of 1 MiB eight are kept")
    func limit() throws {
        _ = take(for: 100_000)
        for _ in 0..<9 { try give(1_048_576) }
        let taken = (0..<9).map { _ in take(for: 1_048_576) }
        #expect(taken.count { $0 != nil } == 8)
    }

    @Test("After rest() no block is kept until one was asked for")
    func rest() throws {
        _ = take(for: 100_000)
        try give(100_000)
        kept.rest()
        #expect(kept.isResting)
        try give(100_000)
        #expect(take(for: 100_000) == nil)
        try give(100_000)
        #expect(take(for: 100_000) == 100_000)
    }
}
