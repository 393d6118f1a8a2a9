import Testing

@testable import AsyncNet

/// The rules of who goes first, as tables and against random orders; no task is involved.
@Suite("Fair queue", .timeLimit(.minutes(5)))
struct FairQueueTests {
    /// Lets requests in one at a time, each leaving before the next; waiters are named `host priority` as given, and
    /// answered by index.
    private static func order(_ waiting: [(String, RequestPriority)], _ limit: ConcurrencyLimit = .init(perSession: 1))
        -> [Int]
    {
        var queue = FairQueue<Int>(limit)
        _ = queue.enter("first")
        for (id, (host, priority)) in waiting.enumerated() { queue.wait(id, id, host, priority) }
        var order: [Int] = []
        var host = "first"
        while let next = queue.leave(host) {
            order.append(next)
            host = waiting[next].0
        }
        return order
    }

    @Test(
        "Waiting requests get permits by priority, and in order of arrival within a priority",
        arguments: [
            ([], []), ([.low], [0]), ([.normal, .normal, .normal], [0, 1, 2]), ([.low, .normal, .high], [2, 1, 0]),
            ([.normal, .high, .low, .high, .normal], [1, 3, 0, 4, 2]),
            ([.init(rawValue: 5), .high, .normal, .init(rawValue: 0), .init(rawValue: 8)], [4, 1, 0, 2, 3]),
            ([.init(rawValue: -1), .init(rawValue: .max), .init(rawValue: .min)], [1, 0, 2]),
        ] as [([RequestPriority], [Int])])
    func urgency(_ priorities: [RequestPriority], _ expected: [Int]) {
        #expect(Self.order(priorities.map { ("a", $0) }) == expected)
        #expect(Self.order(priorities.enumerated().map { ("\($0)", $1) }) == expected)
        #expect(
            Self.order(priorities.enumerated().map { ("\($0 % 2)", $1) }, .init(perSession: 1, perOrigin: 1))
                == expected)
    }

    @Test("A RequestPriority is clamped to 0 through 8, and ordered by its number")
    func priorities() {
        #expect(RequestPriority(rawValue: -1).rawValue == 0 && RequestPriority(rawValue: .max).rawValue == 8)
        #expect(RequestPriority.low < .normal && .normal < RequestPriority.high)
        #expect(RequestPriority(rawValue: 4) == .normal)
    }

    @Test(
        "No more permits are granted than the limits of the session and of each origin",
        arguments: [
            (ConcurrencyLimit.unlimited, ["a", "a", "b"], [true, true, true]),
            (.init(perSession: 2), ["a", "b", "c"], [true, true, false]),
            (.init(perOrigin: 1), ["a", "a", "b", "b"], [true, false, true, false]),
            (.init(perSession: 3, perOrigin: 2), ["a", "a", "a", "b", "c"], [true, true, false, true, false]),
            (.init(perSession: 0, perOrigin: -5), ["a", "b"], [true, false]),
        ] as [(ConcurrencyLimit, [String], [Bool])])
    func limits(_ limit: ConcurrencyLimit, _ hosts: [String], _ expected: [Bool]) {
        var queue = FairQueue<Int>(limit)
        #expect(hosts.map { queue.enter($0) } == expected)
    }

    @Test("Requests to an origin at its limit wait, and requests to other origins do not")
    func fullHost() {
        var queue = FairQueue<String>(.init(perSession: 2, perOrigin: 1))
        #expect([queue.enter("a"), queue.enter("a")] == [true, false])
        queue.wait(1, "a urgent", "a", .high)
        #expect([queue.enter("b"), queue.enter("c")] == [true, false])
        queue.wait(2, "c", "c", .low)
        #expect(queue.leave("b") == "c")
        #expect(queue.leave("c") == nil)
        #expect(queue.leave("a") == "a urgent")
        #expect(queue.leave("a") == nil)
        #expect((queue.activeCount, queue.waitingCount, queue.originCount) == (0, 0, 0))
    }

    @Test("Giving back a permit that was never granted changes nothing")
    func surplus() {
        var queue = FairQueue<Int>(.init(perSession: 1))
        #expect(queue.leave("a") == nil)
        #expect([queue.enter("a"), queue.enter("a")] == [true, false])
    }

    @Test(
        "A cancelled request gets no permit, at whichever place of the queue it waited",
        arguments: [[0], [1], [2], [0, 1], [1, 2], [0, 2], [2, 0], [0, 1, 2]])
    func abandoning(_ gone: [Int]) {
        var queue = FairQueue<Int>(.init(perOrigin: 1))
        _ = queue.enter("a")
        for id in 0..<3 { queue.wait(id, id, "a", .normal) }
        for id in gone {
            #expect(queue.abandon(id, "a", .normal) == id)
            #expect(queue.abandon(id, "a", .normal) == nil)
        }
        for id in 0..<3 where !gone.contains(id) { #expect(queue.leave("a") == id) }
        #expect(queue.leave("a") == nil)
        #expect((queue.activeCount, queue.waitingCount, queue.originCount) == (0, 0, 0))
    }

    @Test(
        "A waiting request goes up a priority each time that 16 requests were admitted before it",
        arguments: [
            (RequestPriority.low, RequestPriority.high, 64), (.normal, .high, 32), (.low, .normal, 32),
            (.init(rawValue: 5), .high, 16),
            (.init(rawValue: 0), .init(rawValue: 8), 128), (.high, .high, 1), (.high, .low, 0),
        ])
    func ageing(_ waiting: RequestPriority, _ others: RequestPriority, _ overtakes: Int) {
        var queue = FairQueue<Int>(.init(perOrigin: 1))
        _ = queue.enter("a")
        queue.wait(0, 0, "a", others)
        queue.wait(1, 1, "a", waiting)
        for id in 2..<1000 {
            queue.wait(id, id, "a", others)
            guard queue.leave("a") == 1 else { continue }
            #expect(id - 2 == overtakes)
            return
        }
        Issue.record("it starves")
    }

    @Test("Requests of low priority get one of 65 permits while requests of high priority keep arriving")
    func share() {
        var queue = FairQueue<Bool>(.init(perOrigin: 1))
        _ = queue.enter("a")
        for id in 0..<1000 { queue.wait(id, false, "a", .low) }
        var admitted = (urgent: 0, low: 0)
        for id in 1000..<9100 {
            queue.wait(id, true, "a", .high)
            if queue.leave("a") == true { admitted.urgent += 1 } else { admitted.low += 1 }
        }
        #expect(admitted.low == 8100 / 65)
    }

    @Test("A request ages although requests of its priority to another origin are admitted")
    func ageingPerHost() {
        var queue = FairQueue<String>(.init(perOrigin: 1))
        #expect([queue.enter("a"), queue.enter("b")] == [true, true])
        queue.wait(0, "low", "a", .low)
        for id in 1..<200 {
            queue.wait(2 * id, "urgent", "a", .high)
            queue.wait(2 * id + 1, "other", "b", .low)
            #expect(queue.leave("b") == "other")
            if queue.leave("a") == "low" { return }
        }
        Issue.record("it starves")
    }

    @Test("A request's ageing does not start again when an earlier request of its priority is cancelled")
    func ageingDespiteCancels() {
        var queue = FairQueue<String>(.init(perOrigin: 1))
        _ = queue.enter("a")
        queue.wait(0, "gone", "a", .low)
        queue.wait(1, "low", "a", .low)
        for id in 1..<200 {
            queue.wait(2 * id, "urgent", "a", .high)
            if id == 50 { #expect(queue.abandon(0, "a", .low) == "gone") }
            guard queue.leave("a") == "low" else { continue }
            #expect(id == 65)
            return
        }
        Issue.record("it starves")
    }

    /// Places are never more than allowed, none is left empty while somebody could take it, and everybody who waits
    /// gets one.
    @Test("Limits and the order within a priority hold for random arrivals, releases and cancels", arguments: 0..<40)
    func random(_ seed: UInt64) {
        var random = SeededRandom(state: seed)
        let limit = ConcurrencyLimit(
            perSession: seed % 3 == 0 ? nil : Int.random(in: 1...6, using: &random),
            perOrigin: seed % 5 == 0 ? nil : Int.random(in: 1...3, using: &random))
        var queue = FairQueue<Int>(limit)
        var active: [String] = []
        var waiting: [(id: Int, host: String, priority: RequestPriority)] = []
        func load(_ host: String) -> Int { active.filter { $0 == host }.count }
        func hasPlace(_ host: String) -> Bool {
            active.count < limit.perSession ?? .max && load(host) < limit.perOrigin ?? .max
        }
        func admit(_ id: Int?) {
            guard let id, let index = waiting.firstIndex(where: { $0.id == id }) else { return }
            let one = waiting.remove(at: index)
            if !hasPlace(one.host) { Issue.record("too many") }
            if waiting.contains(where: { $0.host == one.host && $0.priority == one.priority && $0.id < id }) {
                Issue.record("not in order")
            }
            active.append(one.host)
        }
        for id in 0..<600 {
            let host = "h\(Int.random(in: 0..<8, using: &random))"
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5 where id < 450:
                let priority = RequestPriority(rawValue: Int.random(in: 0...8, using: &random))
                let isFree = hasPlace(host)
                if queue.enter(host) != isFree { Issue.record("wrong answer") }
                if isFree {
                    active.append(host)
                } else {
                    queue.wait(id, id, host, priority)
                    waiting.append((id, host, priority))
                }
            case 5:
                guard let one = waiting.randomElement(using: &random) else { continue }
                if queue.abandon(one.id, one.host, one.priority) != one.id { Issue.record("not found") }
                waiting.removeAll { $0.id == one.id }
            default:
                guard let one = active.randomElement(using: &random), let index = active.firstIndex(of: one) else {
                    continue
                }
                active.remove(at: index)
                admit(queue.leave(one))
            }
            if waiting.contains(where: { hasPlace($0.host) }) { Issue.record("a place is left empty") }
            if (queue.activeCount, queue.waitingCount) != (active.count, waiting.count) { Issue.record("miscounted") }
        }
        while let host = active.popLast() { admit(queue.leave(host)) }
        #expect(waiting.isEmpty && queue.originCount == 0 && queue.activeCount == 0)
    }
}

@Suite("IndexedHeap", .timeLimit(.minutes(5)))
struct IndexedHeapTests {
    @Test("The least key is first after random additions, changes and removals", arguments: 0..<20)
    func random(_ seed: UInt64) {
        var random = SeededRandom(state: seed)
        var heap = IndexedHeap<Int>()
        var keys: [Int: Int] = [:]
        for _ in 0..<500 {
            let number = Int.random(in: 0..<50, using: &random)
            if Bool.random(using: &random) {
                let key = Int.random(in: 0..<1000, using: &random) * 64 + number
                heap.set(number, key)
                keys[number] = key
            } else {
                heap.remove(number)
                keys[number] = nil
            }
            if heap.least?.key != keys.values.min() { Issue.record("wrong order") }
        }
        while let least = heap.least {
            if keys.removeValue(forKey: least.number) != keys.values.min().map({ min($0, least.key) }) ?? least.key {
                Issue.record("wrong order")
            }
            heap.remove(least.number)
        }
        #expect(keys.isEmpty && heap.isEmpty)
    }
}

@Suite("WaitingLine", .timeLimit(.minutes(5)))
struct WaitingLineTests {
    @Test("Elements keep their order through random additions and removals", arguments: 0..<20)
    func random(_ seed: UInt64) {
        var random = SeededRandom(state: seed)
        var line = WaitingLine<Int>()
        var model: [Int] = []
        for id in 0..<1000 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0...1 where id < 600:
                line.append(id, id)
                model.append(id)
            case 2:
                guard let gone = model.randomElement(using: &random) else { continue }
                model.removeAll { $0 == gone }
                if line.remove(gone) != gone || line.remove(gone) != nil { Issue.record("not found") }
            default:
                if line.popFirst() != (model.isEmpty ? nil : model.removeFirst()) { Issue.record("wrong order") }
            }
            if (line.first, line.count) != (model.first, model.count) { Issue.record("wrong order") }
        }
    }
}
