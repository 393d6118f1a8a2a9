import Testing

@testable import AsyncNet

@Suite("Connection pool")
struct ConnectionPoolTests {
    private typealias Pool = ConnectionPool<String, Int, Int>
    private var pool = Pool(.init(connectionsPerOrigin: 2, connections: 3))

    @Test("The connection that was used last is used next")
    mutating func lastInFirstOut() {
        _ = pool.request(1, to: "a")
        _ = pool.request(2, to: "a")
        #expect(pool.opened(10, for: "a") == [.use(10, 1)])
        #expect(pool.opened(11, for: "a") == [.use(11, 2)])
        #expect(pool.released(11, of: "a") == [])
        #expect(pool.released(10, of: "a") == [])
        #expect(pool.request(3, to: "a") == [.use(10, 3)])
    }

    @Test("A released connection goes to whoever waits, and the new one is kept")
    mutating func lateBinding() {
        #expect(pool.request(1, to: "a") == [.open("a"), .wait(1)])
        #expect(pool.opened(10, for: "a") == [.use(10, 1)])
        #expect(pool.request(2, to: "a") == [.open("a"), .wait(2)])
        #expect(pool.released(10, of: "a") == [.use(10, 2)])
        #expect(pool.opened(11, for: "a") == [])
        #expect(pool.idleCount == 1)
    }

    @Test("An origin's limit makes transfers wait in order, those of a higher priority first")
    mutating func perOrigin() {
        for transfer in 1...2 { #expect(pool.request(transfer, to: "a").first == .open("a")) }
        #expect(pool.request(3, to: "a") == [.wait(3)])
        #expect(pool.request(4, to: "a", priority: 1) == [.wait(4)])
        _ = pool.opened(10, for: "a")
        #expect(pool.released(10, of: "a") == [.use(10, 1)])
    }

    @Test("The limit of all connections closes the one that has rested longest, for another origin")
    mutating func overall() {
        for (transfer, key) in [(1, "a"), (2, "b"), (3, "c")] {
            _ = pool.request(transfer, to: key)
            _ = pool.opened(transfer * 10, for: key)
        }
        #expect(pool.request(4, to: "d") == [.wait(4)])
        #expect(pool.released(20, of: "b") == [.close(20)])
        #expect(pool.closedIdle(20, of: "b") == [.open("d")])
        #expect(pool.opened(40, for: "d") == [.use(40, 4)])
    }

    @Test("Without a file descriptor a transfer waits until a connection of the pool ends")
    mutating func descriptors() {
        _ = pool.request(1, to: "a")
        _ = pool.opened(10, for: "a")
        #expect(pool.request(2, to: "b") == [.open("b"), .wait(2)])
        let (failed, actions) = pool.lackedDescriptor("b")
        #expect(failed == nil)
        #expect(actions == [])
        #expect(pool.request(3, to: "c") == [.wait(3)])
        #expect(pool.released(10, of: "a") == [.close(10)])
        #expect(pool.closedIdle(10, of: "a") == [.open("b")])
        #expect(pool.opened(20, for: "b") == [.use(20, 2)])
        #expect(pool.request(4, to: "c") == [.open("c"), .wait(4)])
    }

    @Test("Without a file descriptor and without a connection a transfer fails")
    mutating func noDescriptor() {
        _ = pool.request(1, to: "a")
        let (failed, actions) = pool.lackedDescriptor("a")
        #expect(failed == 1)
        #expect(actions == [])
    }

    @Test("A connection that could not be opened ends one transfer, and another is opened for the next")
    mutating func failure() {
        _ = pool.request(1, to: "a")
        _ = pool.request(2, to: "a")
        _ = pool.request(3, to: "a")
        let (failed, actions) = pool.failed("a")
        #expect(failed == 1)
        #expect(actions == [.open("a")])
    }

    @Test("A withdrawn transfer gets no connection, and the connection that is opened for it is kept")
    mutating func withdrawn() {
        _ = pool.request(1, to: "a")
        pool.withdraw(1, from: "a")
        #expect(pool.opened(10, for: "a") == [])
        #expect(pool.idleCount == 1)
        #expect(pool.request(2, to: "a") == [.use(10, 2)])
        #expect(pool.closedBusy("a") == [])
        #expect(pool.isEmpty)
    }

    @Test("A transfer for a new connection only takes no kept one")
    mutating func newOnly() {
        _ = pool.request(1, to: "a")
        _ = pool.opened(10, for: "a")
        _ = pool.released(10, of: "a")
        #expect(pool.request(2, to: "a", onNewConnection: true) == [.open("a"), .wait(2)])
    }
}

@Suite("Sending a request again")
struct ResendRuleTests {
    private static let standard = ResendRule(
        isIdempotent: true, canReplay: true, isReused: true, hasSent: true, hasResponse: false)

    @Test("Only what cannot have been processed, or may be repeated, is sent again (RFC 9110 §9.2.2)")
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
