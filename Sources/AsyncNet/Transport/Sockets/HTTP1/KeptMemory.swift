import Foundation

/// Memory of large bodies that their readers have released, kept for the next bodies; thread-safe.
///
/// New memory costs a page fault for each 4 KiB: with 16 bodies of 260 KB at a time these took a third of a request's
/// CPU.
final class KeptMemory: Sendable {
    /// A block of `malloc`. Has its address as a number, since pointers are not `Sendable`.
    private struct Block {
        let address: Int
        let capacity: Int
    }

    private struct State {
        var blocks: [Block] = []
        var bytes = 0
        /// Whether memory that is released is freed, not kept: from `rest` until the next `take`.
        var isResting = true
    }

    private let state = Locked(State())

    /// The sizes of blocks that are kept: `malloc` reuses smaller ones, and larger ones would keep too much memory.
    static let sizes = 64 * 1024...1024 * 1024
    static let limit = 8 * 1024 * 1024

    deinit { rest() }

    /// - Returns: Kept memory for a body of this length, at most twice as large; `nil` if there is none.
    func take(for length: Int) -> UnsafeMutableRawBufferPointer? {
        guard Self.sizes.contains(length) else { return nil }
        let block = state.withLock { state -> Block? in
            state.isResting = false
            guard let index = state.blocks.lastIndex(where: { length...2 * length ~= $0.capacity }) else { return nil }
            state.bytes -= state.blocks[index].capacity
            return state.blocks.remove(at: index)
        }
        guard let block else { return nil }
        return UnsafeMutableRawBufferPointer(
            start: UnsafeMutableRawPointer(bitPattern: block.address), count: block.capacity)
    }

    func give(_ memory: UnsafeMutableRawPointer, capacity: Int) {
        let isKept = state.withLock { state in
            guard !state.isResting, Self.sizes.contains(capacity), state.bytes + capacity <= Self.limit else {
                return false
            }
            state.blocks.append(Block(address: Int(bitPattern: memory), capacity: capacity))
            state.bytes += capacity
            return true
        }
        if !isKept { free(memory) }
    }

    /// Frees everything, and keeps nothing until memory is asked for.
    func rest() {
        let blocks = state.withLock { state in
            defer { state = State() }
            return state.blocks
        }
        for block in blocks { free(UnsafeMutableRawPointer(bitPattern: block.address)) }
    }

    var isResting: Bool { state.withLock { $0.isResting } }
}
