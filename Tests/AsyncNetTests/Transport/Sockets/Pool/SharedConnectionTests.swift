import Testing

@testable import AsyncNet

@Suite("Connection pool: shared connections")
struct SharedConnectionTests {
    private typealias Pool = ConnectionPool<String, Int, Int>
    private typealias Action = Pool.Action

    private static func pool() -> Pool { Pool(.init(connectionsPerOrigin: 4, connections: 4)) }

    /// Sends a transfer on a kept connection, else lets it wait for one that may be shared.
    private static func request(_ transfer: Int, _ pool: inout Pool) -> [Action] {
        pool.takeIdle(for: "a").map { [.use($0, transfer)] } ?? pool.wait(transfer, for: "a", mayShare: true)
    }

    @Test("All transfers wait for a connection that is being opened and may be shared")
    func firstConnection() {
        var pool = Self.pool()
        #expect(Self.request(1, &pool) == [.open("a")])
        #expect(Self.request(2, &pool) == [])
        #expect(Self.request(3, &pool) == [])
        #expect(pool.opened(10, for: "a", room: 2) == [.use(10, 1), .use(10, 2), .open("a")])
        #expect(pool.released(10, of: "a", room: 1) == [.use(10, 3)])
    }

    @Test("Each waiting transfer gets a connection of its own if the new one cannot be shared")
    func notShared() {
        var pool = Self.pool()
        for transfer in 1...3 { _ = Self.request(transfer, &pool) }
        #expect(pool.opened(10, for: "a") == [.use(10, 1), .open("a"), .open("a")])
    }

    @Test("All waiting transfers fail if the first shared connection cannot be opened")
    func failure() {
        var pool = Self.pool()
        for transfer in 1...3 { _ = Self.request(transfer, &pool) }
        let (failed, actions) = pool.failed("a")
        #expect(failed == [1, 2, 3])
        #expect(actions == [])
        let isEmpty = pool.isEmpty
        #expect(isEmpty)
    }

    @Test("One waiting transfer fails if a first shared connection was lost, and all if the next one is lost too")
    func lost() {
        var pool = Self.pool()
        for transfer in 1...3 { _ = Self.request(transfer, &pool) }
        let (first, actions) = pool.failed("a", lasting: false)
        #expect(first == [1])
        #expect(actions == [.open("a")])
        #expect(pool.failed("a", lasting: false).0 == [2, 3])
    }

    @Test("If a first connection that may be shared is late, no transfer waits for it, and others are opened")
    func late() {
        var pool = Self.pool()
        _ = Self.request(1, &pool)
        #expect(pool.isLate("a") == [])
        #expect(Self.request(2, &pool) == [.open("a")])
        #expect(pool.isLate("a") == [])
        for transfer in 3...4 { #expect(Self.request(transfer, &pool) == []) }
        #expect(pool.opened(10, for: "a") == [.use(10, 1), .open("a"), .open("a")])
        // The late one, in whose place another is opened.
        let (failed, actions) = pool.failed("a", wasLate: true)
        #expect(failed == [])
        #expect(actions == [.open("a")])
    }

    @Test("After a late connection lacked a file descriptor, no more connections are opened than transfers wait")
    func lateWithoutDescriptor() {
        var pool = Self.pool()
        for transfer in 1...2 { _ = Self.request(transfer, &pool) }
        #expect(pool.isLate("a") == [.open("a")])
        let (failed, actions) = pool.lackedDescriptor("a", wasLate: true)
        #expect(failed == [])
        #expect(actions == [])
        #expect(pool.opened(10, for: "a") == [.use(10, 1), .open("a")])
    }

    @Test("If another connection beside a late one cannot be opened, transfers wait for the late one")
    func lateAlone() {
        var pool = Self.pool()
        for transfer in 1...3 { _ = Self.request(transfer, &pool) }
        #expect(pool.isLate("a") == [.open("a")])
        let (failed, actions) = pool.failed("a")
        #expect(failed == [])
        #expect(actions == [])
        #expect(pool.opened(10, for: "a", room: 9, wasLate: true) == [.use(10, 1), .use(10, 2), .use(10, 3)])
    }

    @Test("One waiting transfer fails if a second connection cannot be opened")
    func secondFailure() {
        var pool = Self.pool()
        for transfer in 1...3 { _ = Self.request(transfer, &pool) }
        _ = pool.opened(10, for: "a", room: 1)
        let (failed, actions) = pool.failed("a")
        #expect(failed == [2])
        #expect(actions == [.open("a")])
    }

    @Test("A full shared connection gets no transfer, and gets the waiting ones when it has room")
    func room() {
        var pool = Self.pool()
        _ = Self.request(1, &pool)
        _ = pool.opened(10, for: "a", room: 100)
        #expect(pool.changedRoom(10, of: "a", to: 0) == [])
        #expect(Self.request(2, &pool) == [.open("a")])
        #expect(Self.request(3, &pool) == [])
        #expect(pool.changedRoom(10, of: "a", to: 5) == [.use(10, 2), .use(10, 3)])
    }

    @Test("No other connection is opened while the server of a shared one allows no stream")
    func heldBack() {
        var pool = Self.pool()
        _ = Self.request(1, &pool)
        #expect(pool.opened(10, for: "a", room: -1) == [])
        #expect(Self.request(2, &pool) == [])
        #expect(pool.changedRoom(10, of: "a", to: 1) == [.use(10, 1), .open("a")])
        #expect(pool.opened(11, for: "a", room: -1) == [])
        #expect(pool.closed(11, of: "a") == [.open("a")])
    }

    @Test("Once a shared connection is idle, it is closed to make room for a transfer to another origin")
    func makingRoom() {
        var pool = Pool(.init(connectionsPerOrigin: 4, connections: 1))
        _ = Self.request(1, &pool)
        _ = pool.opened(10, for: "a", room: 100)
        #expect(pool.wait(2, for: "b") == [])
        #expect(pool.released(10, of: "a", room: 100) == [.close(10)])
        #expect(pool.closed(10, of: "a") == [.open("b")])
    }

    @Test("A closed shared connection is not used, and waiting transfers get another one")
    func closed() {
        var pool = Self.pool()
        _ = Self.request(1, &pool)
        _ = pool.opened(10, for: "a", room: 1)
        #expect(Self.request(2, &pool) == [.open("a")])
        #expect(pool.closed(10, of: "a") == [])
        #expect(pool.opened(11, for: "a", room: 1) == [.use(11, 2)])
        #expect(pool.closed(11, of: "a") == [])
        let isEmpty = pool.isEmpty
        #expect(isEmpty)
    }
}
