/// The permits in use and the requests that wait for one: the rules of ``ConcurrencyLimit``, without tasks or time.
///
/// The waiting requests of one origin and one priority are a lane. A heap for each priority holds the lanes whose
/// origin is below its limit, ordered by how often they were passed over, then by their first request; so admitting a
/// request compares nine lanes at most. While the session is below its limit, no lane is left waiting whose origin is
/// below its limit too.
struct FairQueue<Waiter> {
    /// The order of lanes in a heap: the value of `overtakes` when a request of the lane was last admitted, then the
    /// number of its first request.
    private struct LaneKey: Comparable {
        let mark: Int
        let first: Int

        static func < (one: Self, other: Self) -> Bool { (one.mark, one.first) < (other.mark, other.first) }
    }

    private struct Lane {
        let host: String
        let level: Int
        var mark: Int
        var line = WaitingLine<Waiter>()
    }

    private struct HostLoad {
        var active = 0
        var lanes: [Int] = []
    }

    private let perSession: Int
    private let perHost: Int?
    private var hosts: [String: HostLoad] = [:]
    private var lanes: [Lane] = []
    private var freeLanes: [Int] = []
    private var ready = Array(repeating: IndexedHeap<LaneKey>(), count: RequestPriority.levels)
    /// For each level, how many requests of higher levels were admitted after waiting.
    private var overtakes = Array(repeating: 0, count: RequestPriority.levels)

    private(set) var activeCount = 0
    private(set) var waitingCount = 0
    var hostCount: Int { hosts.count }

    init(_ limit: ConcurrencyLimit) {
        perSession = limit.perSession.map { max($0, 1) } ?? .max
        perHost = limit.perHost.map { max($0, 1) }
    }

    /// Takes a permit if there is one. Requests that wait at that moment wait for other origins, so none is overtaken.
    mutating func enter(_ host: String) -> Bool {
        guard activeCount < perSession, hasPlace(hosts[key(host)]) else { return false }
        take(key(host))
        return true
    }

    /// Adds a waiting request after `enter` has refused it. Numbers are unique and ascending.
    mutating func wait(_ id: Int, _ waiter: Waiter, _ host: String, _ priority: RequestPriority) {
        let lane = findLane(key(host), priority.rawValue) ?? addLane(key(host), priority.rawValue)
        lanes[lane].line.append(id, waiter)
        waitingCount += 1
        update(lane)
    }

    /// Gives a permit back. Returns the waiting request that takes the permit, if there is one.
    mutating func leave(_ host: String) -> Waiter? {
        let host = key(host)
        guard let load = hosts[host], load.active > 0 else { return nil }
        activeCount -= 1
        hosts[host]?.active -= 1
        if !hasPlace(load) { load.lanes.forEach { update($0) } }
        forgetIfUnused(host)
        return admitNext()
    }

    /// Removes a waiting request; `nil` if it does not wait any more.
    mutating func abandon(_ id: Int, _ host: String, _ priority: RequestPriority) -> Waiter? {
        guard let lane = findLane(key(host), priority.rawValue), let waiter = lanes[lane].line.remove(id) else {
            return nil
        }
        waitingCount -= 1
        update(lane)
        return waiter
    }

    private mutating func admitNext() -> Waiter? {
        guard activeCount < perSession, let lane = mostUrgent(), let waiter = lanes[lane].line.popFirst() else {
            return nil
        }
        let (host, level) = (lanes[lane].host, lanes[lane].level)
        waitingCount -= 1
        for lower in 0..<level { overtakes[lower] += 1 }
        lanes[lane].mark = overtakes[level]
        take(host)
        update(lane)
        return waiter
    }

    /// The lane of the highest level after ageing; among equals, the lane whose first request is the earliest.
    private func mostUrgent() -> Int? {
        var best: (level: Int, first: Int, lane: Int)?
        for level in ready.indices.reversed() {
            guard let (key, lane) = ready[level].least else { continue }
            let aged = level + (overtakes[level] - key.mark) / ConcurrencyLimit.overtakesPerLevel
            if let best, (best.level, -best.first) > (aged, -key.first) { continue }
            best = (aged, key.first, lane)
        }
        return best?.lane
    }
}

// MARK: - Lanes and hosts

extension FairQueue {
    /// Without a limit for each origin, all requests share one entry.
    private func key(_ host: String) -> String { perHost == nil ? "" : host }

    private func hasPlace(_ load: HostLoad?) -> Bool { perHost.map { (load?.active ?? 0) < $0 } ?? true }

    /// Takes a permit; at the origin's limit, its lanes leave the heaps.
    private mutating func take(_ host: String) {
        activeCount += 1
        hosts[host, default: HostLoad()].active += 1
        guard let load = hosts[host], !hasPlace(load) else { return }
        for lane in load.lanes { ready[lanes[lane].level].remove(lane) }
    }

    private func findLane(_ host: String, _ level: Int) -> Int? {
        hosts[host]?.lanes.first { lanes[$0].level == level }
    }

    private mutating func addLane(_ host: String, _ level: Int) -> Int {
        let lane = Lane(host: host, level: level, mark: overtakes[level])
        let number = freeLanes.popLast() ?? lanes.count
        if number == lanes.count { lanes.append(lane) } else { lanes[number] = lane }
        hosts[host, default: HostLoad()].lanes.append(number)
        return number
    }

    /// Updates a lane's position in the heap after a change of its requests or of its origin's permits; removes an
    /// empty lane.
    private mutating func update(_ number: Int) {
        let lane = lanes[number]
        guard let first = lane.line.first else { return removeLane(number) }
        if hasPlace(hosts[lane.host]) { ready[lane.level].set(number, LaneKey(mark: lane.mark, first: first)) }
    }

    private mutating func removeLane(_ number: Int) {
        let host = lanes[number].host
        ready[lanes[number].level].remove(number)
        hosts[host]?.lanes.removeAll { $0 == number }
        freeLanes.append(number)
        if freeLanes.count == lanes.count { (lanes, freeLanes) = ([], []) } else { lanes[number].line = WaitingLine() }
        forgetIfUnused(host)
    }

    private mutating func forgetIfUnused(_ host: String) {
        guard let load = hosts[host], load.active == 0, load.lanes.isEmpty else { return }
        hosts[host] = nil
        if hosts.isEmpty { hosts = [:] }
    }
}
