import Testing

@testable import AsyncNet

@Suite("Connection pool")
struct ConnectionPoolTests {
    private typealias Pool = ConnectionPool<String, Int, Int>
    private typealias Action = Pool.Action

    private static func pool() -> Pool { Pool(.init(connectionsPerOrigin: 2, connections: 3)) }

    /// Sends a transfer on a kept connection, else lets it wait.
    private static func request(_ transfer: Int, to key: String, _ pool: inout Pool) -> [Action] {
        pool.takeIdle(for: key).map { [.use($0, transfer)] } ?? pool.wait(transfer, for: key)
    }

    @Test("A transfer gets the idle connection that was released last")
    func lastInFirstOut() {
        var pool = Self.pool()
        _ = Self.request(1, to: "a", &pool)
        _ = Self.request(2, to: "a", &pool)
        #expect(pool.opened(10, for: "a") == [.use(10, 1)])
        #expect(pool.opened(11, for: "a") == [.use(11, 2)])
        #expect(pool.released(11, of: "a") == [])
        #expect(pool.released(10, of: "a") == [])
        #expect(Self.request(3, to: "a", &pool) == [.use(10, 3)])
    }

    @Test("A waiting transfer gets a released connection, and the one opened for it becomes idle")
    func lateBinding() {
        var pool = Self.pool()
        #expect(Self.request(1, to: "a", &pool) == [.open("a")])
        #expect(pool.opened(10, for: "a") == [.use(10, 1)])
        #expect(Self.request(2, to: "a", &pool) == [.open("a")])
        #expect(pool.released(10, of: "a") == [.use(10, 2)])
        #expect(pool.opened(11, for: "a") == [])
        #expect(Self.request(3, to: "a", &pool) == [.use(11, 3)])
    }

    @Test("prepare() opens connections within the limits, until there are count of them or one that can be shared")
    func prepared() {
        var pool = Self.pool()
        #expect(pool.prepare("a", count: 1, mayShare: false) == .open)
        #expect(pool.prepare("a", count: 1, mayShare: false) == .wait)
        #expect(pool.prepare("a", count: 9, mayShare: false) == .open)
        #expect(pool.prepare("a", count: 9, mayShare: false) == .wait)
        #expect(pool.opened(10, for: "a") == [])
        #expect(Self.request(1, to: "a", &pool) == [.use(10, 1)])
        #expect(Self.request(2, to: "a", &pool) == [])
        #expect(pool.opened(11, for: "a") == [.use(11, 2)])
        #expect(pool.prepare("a", count: 9, mayShare: false) == .done)
        #expect(pool.prepare("b", count: 2, mayShare: true) == .open)
        #expect(pool.prepare("b", count: 2, mayShare: true) == .wait)
        #expect(pool.opened(12, for: "b", room: 5) == [])
        #expect(pool.prepare("b", count: 2, mayShare: true) == .done)
        #expect(pool.prepare("c", count: 1, mayShare: false) == .done)
    }

    @Test("A transfer fails only with the last of the connections that are being opened for it")
    func failureBesideAnother() {
        var pool = Self.pool()
        #expect(pool.prepare("a", count: 2, mayShare: false) == .open)
        #expect(pool.prepare("a", count: 2, mayShare: false) == .open)
        #expect(Self.request(1, to: "a", &pool) == [])
        #expect(pool.failed("a").0 == [])
        #expect(pool.failed("a").0 == [1])
    }

    @Test("A draining shared connection does not count towards its origin's limit")
    func draining() {
        var pool = Pool(.init(connectionsPerOrigin: 1, connections: 3))
        _ = pool.wait(1, for: "a", mayShare: true)
        #expect(pool.opened(10, for: "a", room: 5) == [.use(10, 1)])
        #expect(pool.changedRoom(10, of: "a", to: 0, isDraining: true) == [])
        #expect(pool.wait(2, for: "a", mayShare: true) == [.open("a")])
        #expect(pool.prepare("a", count: 1, mayShare: true) == .wait)
        #expect(pool.opened(11, for: "a", room: 5) == [.use(11, 2)])
        #expect(pool.prepare("a", count: 1, mayShare: true) == .done)
    }

    @Test("Transfers beyond their origin's limit wait, and get connections by priority, then in order")
    func perOrigin() {
        var pool = Self.pool()
        for transfer in 1...2 { #expect(Self.request(transfer, to: "a", &pool).first == .open("a")) }
        #expect(Self.request(3, to: "a", &pool) == [])
        #expect(pool.wait(4, for: "a", priority: 1) == [])
        _ = pool.opened(10, for: "a")
        #expect(pool.released(10, of: "a") == [.use(10, 1)])
    }

    @Test("At the limit of all connections a released one is closed for a transfer to another origin")
    func overall() {
        var pool = Self.pool()
        for (transfer, key) in [(1, "a"), (2, "b"), (3, "c")] {
            _ = Self.request(transfer, to: key, &pool)
            _ = pool.opened(transfer * 10, for: key)
        }
        #expect(Self.request(4, to: "d", &pool) == [])
        #expect(pool.released(20, of: "b") == [.close(20)])
        #expect(pool.closed(20, of: "b") == [.open("d")])
        #expect(pool.opened(40, for: "d") == [.use(40, 4)])
    }

    @Test("A transfer that lacks a file descriptor waits until a connection of the pool is closed")
    func descriptors() {
        var pool = Self.pool()
        _ = Self.request(1, to: "a", &pool)
        _ = pool.opened(10, for: "a")
        #expect(Self.request(2, to: "b", &pool) == [.open("b")])
        let (failed, actions) = pool.lackedDescriptor("b")
        #expect(failed == [])
        #expect(actions == [])
        #expect(Self.request(3, to: "c", &pool) == [])
        #expect(pool.released(10, of: "a") == [.close(10)])
        #expect(pool.closed(10, of: "a") == [.open("b")])
        #expect(pool.opened(20, for: "b") == [.use(20, 2)])
        #expect(Self.request(4, to: "c", &pool) == [.open("c")])
    }

    @Test("A transfer that lacks a file descriptor fails if the pool has no connection")
    func noDescriptor() {
        var pool = Self.pool()
        _ = Self.request(1, to: "a", &pool)
        let (failed, actions) = pool.lackedDescriptor("a")
        #expect(failed == [1])
        #expect(actions == [])
    }

    @Test("A connection that cannot be opened fails one transfer, and another is opened for the next")
    func failure() {
        var pool = Self.pool()
        _ = Self.request(1, to: "a", &pool)
        _ = Self.request(2, to: "a", &pool)
        _ = Self.request(3, to: "a", &pool)
        let (failed, actions) = pool.failed("a")
        #expect(failed == [1])
        #expect(actions == [.open("a")])
    }

    @Test("The connection opened for a cancelled transfer becomes idle, and the next transfer uses it")
    func withdrawn() {
        var pool = Self.pool()
        _ = Self.request(1, to: "a", &pool)
        pool.withdraw(1, from: "a")
        #expect(pool.opened(10, for: "a") == [])
        #expect(Self.request(2, to: "a", &pool) == [.use(10, 2)])
        #expect(pool.closed(10, of: "a") == [])
        let isEmpty = pool.isEmpty
        #expect(isEmpty)
    }

    @Test("A transfer that needs a new connection opens one although one is idle")
    func newOnly() {
        var pool = Self.pool()
        _ = Self.request(1, to: "a", &pool)
        _ = pool.opened(10, for: "a")
        _ = pool.released(10, of: "a")
        #expect(pool.wait(2, for: "a") == [.open("a")])
    }

    @Test("A transfer that wants a new connection gets no released one: a kept connection is closed for the new one")
    func wantsNew() {
        var pool = Self.pool()
        for transfer in 1...2 {
            _ = Self.request(transfer, to: "a", &pool)
            _ = pool.opened(9 + transfer, for: "a")
        }
        #expect(pool.wait(3, for: "a", wantsNew: true) == [])
        #expect(pool.wait(4, for: "a") == [])
        // No later transfer goes first: the connection makes room.
        #expect(pool.released(10, of: "a") == [.close(10)])
        #expect(pool.closed(10, of: "a") == [.open("a")])
        #expect(pool.released(11, of: "a") == [.use(11, 4)])
        #expect(pool.released(11, of: "a") == [])
        #expect(pool.opened(12, for: "a") == [.use(12, 3)])
        // Both places are taken, by a kept connection and a busy one.
        #expect(pool.wait(5, for: "a", wantsNew: true) == [.close(11)])
        #expect(pool.closed(11, of: "a") == [.open("a")])
    }
}

@Suite("ResendRule")
struct ResendRuleTests {
    private static let standard = ResendRule(
        isIdempotent: true, canReplay: true, isReused: true, hasSent: true, hasResponse: false)

    @Test("A request is sent again only if it was not processed or is idempotent (RFC 9110 §9.2.2)")
    func table() {
        func decision(_ change: (inout ResendRule) -> Void) -> ResendRule.Decision {
            var rule = Self.standard
            change(&rule)
            return rule.decision
        }
        #expect(Self.standard.decision == .restart)
        #expect(decision { $0.isReused = false } == .fail)
        #expect(decision { $0.hasResponse = true } == .fail)
        #expect(decision { $0.hasRestarted = true } == .fail)
        #expect(decision { $0.isIdempotent = false } == .lost)
        #expect(decision { ($0.isIdempotent, $0.hasSent) = (false, false) } == .restart)
        #expect(decision { $0.canReplay = false } == .fail)
    }
}
