import Foundation

/// One direction of a proxied connection with its faults, as a value without sockets and without a clock: bytes are put
/// in, and `next` says what to do at which time. Times begin at any common moment.
struct FaultedFlow {
    enum End: Hashable { case finished, reset }

    enum Action: Hashable {
        /// Write these bytes, and report by `wrote` how many the destination has taken.
        case write(Data)
        /// Do nothing until this time; with `nil`, until something changes.
        case wait(until: Duration?)
        /// End this direction.
        case finish
        /// Close the connection after the bytes that have been written.
        case close
        /// Reset the connection.
        case reset
    }

    /// A fault of this connection.
    private struct Active {
        let id: FaultProxy.FaultID
        var fault: FaultProxy.Fault
        var since: Duration
        /// The bytes that have passed since then.
        var passed = 0
        var hasDropped = false
    }

    private struct Chunk {
        var bytes: Data
        let arrival: Duration
        /// With jitter; `nil` until the chunk is the first.
        var latency: Duration?
    }

    /// A flow holds this number of bytes at most, and one read more; the source waits meanwhile.
    static let capacity = 256 * 1024

    private var faults: [Active] = []
    private var chunks: [Chunk] = []
    /// The chunks before this index have been written.
    private var first = 0
    private var bufferedBytes = 0
    private var end: (kind: End, arrival: Duration)?
    /// The next bytes to write, and when; `nil` if they are to be determined.
    private var slice: (count: Int, due: Duration)?
    /// When the last slice was due; `nil` before the first.
    private var lastDue: Duration?
    private var link = LinkSchedule(bytesPerSecond: nil)
    private var random: SplitMix
    /// Bytes were dropped by a fault that has ended.
    private var isBroken = false
    /// The number of bytes that faults have dropped.
    private(set) var droppedBytes = 0
    /// The direction has ended, or the connection has.
    private(set) var isDone = false

    init(random: SplitMix) { self.random = random }

    // MARK: Faults

    /// Replaces the faults. Bytes that wait are scheduled again, so that none waits for a fault that has ended.
    mutating func change(_ entries: [FaultTable.Entry], now: Duration) {
        let old = faults
        if old.map(\.id) == entries.map(\.id), old.map(\.fault) == entries.map(\.fault) { return }
        faults = entries.map { entry in
            guard var known = old.first(where: { $0.id == entry.id }) else {
                return Active(id: entry.id, fault: entry.fault, since: now)
            }
            if known.fault != entry.fault { (known.fault, known.since) = (entry.fault, now) }
            return known
        }
        for former in old where former.hasDropped {
            let isDropping = faults.contains { $0.id == former.id && $0.fault.drops }
            if !isDropping { isBroken = true }
        }
        reschedule(now)
    }

    private mutating func reschedule(_ now: Duration) {
        slice = nil
        if first < chunks.count { chunks[first].latency = nil }
        lastDue = lastDue.map { min($0, now) }
        let rates = faults.compactMap { if case .bandwidth(let rate) = $0.fault { rate } else { nil } }
        let rate = rates.min().map { max(1, $0) }
        guard rate != link.bytesPerSecond else { return }
        // Bytes that came before have used nothing of the new rate.
        link = LinkSchedule(bytesPerSecond: rate)
        _ = link.pass(0, now: now)
    }

    // MARK: Bytes

    /// Whether the source is to be read.
    var wantsBytes: Bool { end == nil && !isDone && bufferedBytes < Self.capacity }

    mutating func receive(_ bytes: Data, now: Duration) {
        guard !isDone, !bytes.isEmpty else { return }
        chunks.append(Chunk(bytes: bytes, arrival: now))
        bufferedBytes += bytes.count
    }

    /// The source has ended.
    mutating func finish(_ kind: End, now: Duration) { end = end ?? (kind, now) }

    /// The destination takes no more bytes.
    mutating func abandon() {
        isDone = true
        dropBytes()
    }

    private mutating func dropBytes() {
        (chunks, first, bufferedBytes, slice) = ([], 0, 0, nil)
    }

    /// The destination has taken so many of the bytes to write.
    mutating func wrote(_ count: Int) {
        guard let current = slice, first < chunks.count else { return }
        for index in faults.indices { faults[index].passed += count }
        bufferedBytes -= count
        chunks[first].bytes = chunks[first].bytes.dropFirst(count)
        slice = (current.count - count, current.due)
        if current.count == count { (slice, lastDue) = (nil, current.due) }
        guard chunks[first].bytes.isEmpty else { return }
        chunks[first].bytes = Data()
        first += 1
        // Removes half of the chunks at once, since each removal at the front moves all others.
        if first * 2 >= chunks.count {
            chunks.removeFirst(first)
            first = 0
        }
    }

    // MARK: What is next

    /// What to do at this time. A direction that has ended waits.
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
        if bufferedBytes > 0 { for index in dropping { faults[index].hasDropped = true } }
        droppedBytes += bufferedBytes
        dropBytes()
        return true
    }

    /// When the connection is reset; `nil` before there are bytes, or an end.
    private var resetTime: Duration? {
        guard let arrival = first < chunks.count ? chunks[first].arrival : end?.arrival else { return nil }
        return faults.compactMap { active in active.fault.resetDelay.map { max(active.since, arrival) + $0 } }.min()
    }

    /// When the connection is closed.
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

    /// The next bytes, or the end, and when; `nil` if there is nothing.
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

    /// Determines the next bytes of the first chunk.
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
