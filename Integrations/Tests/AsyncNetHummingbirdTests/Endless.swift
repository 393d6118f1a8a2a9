import Foundation
import Synchronization

/// Counts the chunks of a body.
final class Counter: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
}

/// Chunks without end, which a counter counts.
struct Endless: AsyncSequence, Sendable {
    static let size = 64 * 1024
    private let counter: Counter

    init(_ counter: Counter) { self.counter = counter }

    func makeAsyncIterator() -> Iterator { Iterator(counter: counter) }

    struct Iterator: AsyncIteratorProtocol {
        let counter: Counter

        mutating func next() async -> Data? {
            counter.add()
            return Data(repeating: 0x61, count: Endless.size)
        }
    }
}
