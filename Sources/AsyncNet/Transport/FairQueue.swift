/// The permits in use and the requests that wait for one: the rules of ``ConcurrencyLimit``, without tasks or time.
///
/// The waiting requests of one origin and one priority are a lane. A heap for each priority holds the lanes whose
/// origin is below its limit, ordered by how often they were passed over, then by their first request; so admitting a
/// request compares nine lanes at most. While the session is below its limit, only lanes whose origin is at its
/// limit wait.
struct FairQueue<Waiter> {
    /// The order of lanes in a heap: by `mark`, the value of `overtakes` when the lane was made or a request of it last
    /// admitted, then by the number of the lane's first request.
    private struct LaneKey: Comparable {
        let mark: Int
        let first: Int

        static func < (one: Self, other: Self) -> Bool { (one.mark, one.first) < (other.mark, other.first) }
    }

    private struct Lane {
        let origin: String
        let level: Int
        var mark: Int
        var line = WaitingLine<Waiter>()
    }

    private struct OriginLoad {
        var active = 0
        var lanes: [Int] = []
    }

    private let perSession: Int
    private let perOrigin: Int?
    private var origins: [String: OriginLoad] = [:]
    private var lanes: [Lane] = []
    private var freeLanes: [Int] = []
    private var ready = Array(repeating: IndexedHeap<LaneKey>(), count: RequestPriority.levels)
    /// For each level, how many requests of higher levels were admitted after waiting.
    private var overtakes = Array(repeating: 0, count: RequestPriority.levels)

    private(set) var activeCount = 0
    private(set) var waitingCount = 0
    var originCount: Int { origins.count }

    init(_ limit: ConcurrencyLimit) {
        perSession = limit.perSession.map { max($0, 1) } ?? .max
        perOrigin = limit.perOrigin.map { max($0, 1) }
    }

    /// Takes a permit if one is free. No waiting request is overtaken: those that wait while a permit is free go to
    /// other origins, which are at their limit.
    mutating func enter(_ origin: String) -> Bool {
        guard activeCount < perSession, hasPlace(origins[key(origin)]) else { return false }
        take(key(origin))
        return true
    }

    /// Adds a request that `enter` has refused. `id` is unique; a later request has a greater one.
    mutating func wait(_ id: Int, _ waiter: Waiter, _ origin: String, _ priority: RequestPriority) {
        let lane = findLane(key(origin), priority.rawValue) ?? addLane(key(origin), priority.rawValue)
        lanes[lane].line.append(id, waiter)
        waitingCount += 1
        update(lane)
    }

    mutating func leave(_ origin: String) -> Waiter? {
        let origin = key(origin)
        guard let load = origins[origin], load.active > 0 else { return nil }
        activeCount -= 1
        origins[origin]?.active -= 1
        if !hasPlace(load) { load.lanes.forEach { update($0) } }
        forgetIfUnused(origin)
        return admitNext()
    }

    mutating func abandon(_ id: Int, _ origin: String, _ priority: RequestPriority) -> Waiter? {
        guard let lane = findLane(key(origin), priority.rawValue), let waiter = lanes[lane].line.remove(id) else {
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
        let (origin, level) = (lanes[lane].origin, lanes[lane].level)
        waitingCount -= 1
        for lower in 0..<level { overtakes[lower] += 1 }
        lanes[lane].mark = overtakes[level]
        take(origin)
        update(lane)
        return waiter
    }

    /// The lane of the highest level after ageing; among lanes of the same level, the one whose first request is the
    /// earliest.
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

    /// Without a limit for each origin, all requests share one entry.
    private func key(_ origin: String) -> String { perOrigin == nil ? "" : origin }

    private func hasPlace(_ load: OriginLoad?) -> Bool { perOrigin.map { (load?.active ?? 0) < $0 } ?? true }

    /// Takes a permit; at the origin's limit, its lanes leave the heaps.
    private mutating func take(_ origin: String) {
        activeCount += 1
        origins[origin, default: OriginLoad()].active += 1
        guard let load = origins[origin], !hasPlace(load) else { return }
        for lane in load.lanes { ready[lanes[lane].level].remove(lane) }
    }

    private func findLane(_ origin: String, _ level: Int) -> Int? {
        origins[origin]?.lanes.first { lanes[$0].level == level }
    }

    private mutating func addLane(_ origin: String, _ level: Int) -> Int {
        let lane = Lane(origin: origin, level: level, mark: overtakes[level])
        let number = freeLanes.popLast() ?? lanes.count
        if number == lanes.count { lanes.append(lane) } else { lanes[number] = lane }
        origins[origin, default: OriginLoad()].lanes.append(number)
        return number
    }

    /// Updates a lane's place in the heap after a change of its requests or of its origin's permits; removes an empty
    /// lane.
    private mutating func update(_ number: Int) {
        let lane = lanes[number]
        guard let first = lane.line.first else { return removeLane(number) }
        if hasPlace(origins[lane.origin]) { ready[lane.level].set(number, LaneKey(mark: lane.mark, first: first)) }
    }

    private mutating func removeLane(_ number: Int) {
        let origin = lanes[number].origin
        ready[lanes[number].level].remove(number)
        origins[origin]?.lanes.removeAll { $0 == number }
        freeLanes.append(number)
        if freeLanes.count == lanes.count { (lanes, freeLanes) = ([], []) } else { lanes[number].line = WaitingLine() }
        forgetIfUnused(origin)
    }

    private mutating func forgetIfUnused(_ origin: String) {
        guard let load = origins[origin], load.active == 0, load.lanes.isEmpty else { return }
        origins[origin] = nil
        if origins.isEmpty { origins = [:] }
    }
}
