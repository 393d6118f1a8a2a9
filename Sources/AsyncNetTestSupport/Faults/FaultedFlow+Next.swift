import Foundation

/// What a flow does next.
extension FaultedFlow {
    /// What to do at this time; `.wait` without a time once the direction has ended.
    mutating func next(now: Duration) -> Action {
        if isDone { return .wait(until: nil) }
        if isBroken { return ended(.reset) }
        if let reset = resetTime, reset <= now { return ended(.reset) }
        if let close = closeTime, close <= now { return ended(.close) }
        let limit = [resetTime, closeTime].compactMap(\.self).min()
        if dropsBytes() || resetTime != nil { return .wait(until: limit) }
        if hasPassedLimit { return ended(.close) }
        let (due, action) = nextInOrder()
        guard let due, due > now else { return due == nil ? .wait(until: limit) : taken(action) }
        return .wait(until: min(due, limit ?? due))
    }

    private mutating func ended(_ action: Action) -> Action {
        abandon()
        return action
    }

    private mutating func taken(_ action: Action) -> Action {
        if case .write = action { return action }
        return ended(action)
    }

    /// Drops what waits, if a fault drops bytes.
    private mutating func dropsBytes() -> Bool {
        let dropping = faults.indices.filter { faults[$0].fault.drops }
        guard !dropping.isEmpty else { return false }
        if first < chunks.count {
            firstDrop = firstDrop ?? chunks[first].arrival
            for index in dropping { faults[index].hasDropped = true }
        }
        droppedBytes += bufferedBytes
        dropBytes()
        return true
    }

    /// When `.resetPeer` resets the connection; `nil` without that fault, and before bytes or the end have arrived.
    private var resetTime: Duration? {
        guard let arrival = firstDrop ?? (first < chunks.count ? chunks[first].arrival : end?.arrival) else {
            return nil
        }
        return faults.compactMap { active in active.fault.resetDelay.map { max(active.since, arrival) + $0 } }.min()
    }

    /// When `.timeout` closes the connection; `nil` without that fault.
    private var closeTime: Duration? {
        faults.compactMap { active in active.fault.timeout.map { active.since + $0 } }.min()
    }

    /// The number of bytes that may still pass; `nil` without a limit.
    private var allowance: Int? {
        let rests = faults.compactMap { active -> Int? in
            if case .limitData(let limit) = active.fault { limit - active.passed } else { nil }
        }
        return rests.min()
    }

    private var hasPassedLimit: Bool {
        guard let allowance, allowance <= 0 else { return false }
        return lastDue != nil || first < chunks.count
    }

    /// The next action, to write bytes or to end the direction, and its time; `nil` if nothing waits.
    private mutating func nextInOrder() -> (Duration?, Action) {
        if first < chunks.count {
            let slice = self.slice ?? schedule()
            self.slice = slice
            return (slice.due, .write(chunks[first].bytes.prefix(slice.count)))
        }
        guard let end else { return (nil, .wait(until: nil)) }
        let latencies = faults.reduce(Duration.zero) { $0 + $1.fault.fixedLatency }
        let delays = faults.reduce(Duration.zero) { $0 + $1.fault.closeDelay }
        let due = max(end.arrival + latencies, lastDue ?? .zero) + delays
        return (due, end.kind == .finished ? .finish : .reset)
    }

    /// Determines how many bytes of the first chunk are written next, and when.
    private mutating func schedule() -> (count: Int, due: Duration) {
        let chunk = chunks[first]
        let latency = chunk.latency ?? drawLatency()
        chunks[first].latency = latency
        let count = min(chunk.bytes.count, drawSize(), link.quantum, max(1, allowance ?? .max))
        let pause = faults.reduce(Duration.zero) { $0 + $1.fault.sliceDelay }
        let start = max(chunk.arrival + latency, lastDue.map { $0 + pause } ?? .zero)
        return (count, link.pass(count, now: start))
    }

    private mutating func drawLatency() -> Duration {
        faults.reduce(Duration.zero) { sum, active in
            guard case .latency(let latency, let jitter) = active.fault else { return sum }
            return sum + max(.zero, latency) + random.duration(below: jitter)
        }
    }

    private mutating func drawSize() -> Int {
        faults.reduce(Int.max) { size, active in
            guard case .slicer(let average, let variation, _) = active.fault else { return size }
            let (middle, spread) = (min(max(1, average), Self.capacity), min(max(0, variation), Self.capacity))
            return min(size, Int.random(in: max(1, middle - spread)...(middle + spread), using: &random))
        }
    }
}

extension FaultProxy.Fault {
    fileprivate var resetDelay: Duration? { if case .resetPeer(let delay) = self { max(.zero, delay) } else { nil } }
    fileprivate var timeout: Duration? { if case .timeout(let time) = self { max(.zero, time) } else { nil } }
    fileprivate var fixedLatency: Duration { if case .latency(let time, _) = self { max(.zero, time) } else { .zero } }
    fileprivate var closeDelay: Duration { if case .slowClose(let delay) = self { max(.zero, delay) } else { .zero } }
    fileprivate var sliceDelay: Duration {
        if case .slicer(_, _, let delay) = self { max(.zero, delay) } else { .zero }
    }
}
