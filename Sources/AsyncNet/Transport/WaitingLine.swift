/// Waiters in the order of their arrival. Any of them may leave.
///
/// Every operation takes constant time on average. The numbers of waiters that have left stay in `order` until they
/// make up half of it.
package struct WaitingLine<Waiter> {
    private var order: [Int] = []
    private var start = 0
    private var waiting: [Int: Waiter] = [:]

    package var count: Int { waiting.count }
    package var isEmpty: Bool { waiting.isEmpty }

    package init() {}

    private(set) var first: Int?

    package mutating func append(_ id: Int, _ waiter: Waiter) {
        order.append(id)
        waiting[id] = waiter
        if first == nil { first = id }
    }

    package mutating func popFirst() -> Waiter? {
        guard let first else { return nil }
        return remove(first)
    }

    package mutating func remove(_ id: Int) -> Waiter? {
        guard let waiter = waiting.removeValue(forKey: id) else { return nil }
        if id == first { advance() }
        compact()
        return waiter
    }

    private mutating func advance() {
        while start < order.count, waiting[order[start]] == nil { start += 1 }
        first = start < order.count ? order[start] : nil
    }

    private mutating func compact() {
        guard order.count > 2 * waiting.count + 32 else { return }
        order = order[start...].filter { waiting[$0] != nil }
        start = 0
        if waiting.isEmpty { waiting = [:] }
    }
}
