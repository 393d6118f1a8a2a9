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
    struct Active {
        let id: FaultProxy.FaultID
        var fault: FaultProxy.Fault
        var since: Duration
        /// The bytes that have passed since then.
        var passed = 0
        var hasDropped = false
    }

    struct Chunk {
        var bytes: Data
        let arrival: Duration
        /// With jitter; `nil` until the chunk is the first.
        var latency: Duration?
    }

    /// A flow holds this number of bytes at most, and one read more; the source waits meanwhile.
    static let capacity = 256 * 1024

    var faults: [Active] = []
    var chunks: [Chunk] = []
    /// The chunks before this index have been written.
    var first = 0
    var bufferedBytes = 0
    var end: (kind: End, arrival: Duration)?
    /// The next bytes to write, and when; `nil` if they are to be determined.
    var slice: (count: Int, due: Duration)?
    /// When the last slice was due; `nil` before the first.
    var lastDue: Duration?
    var link = LinkSchedule(bytesPerSecond: nil)
    var random: SplitMix
    /// Bytes were dropped by a fault that has ended.
    var isBroken = false
    /// The number of bytes that faults have dropped.
    var droppedBytes = 0
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

    mutating func dropBytes() {
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
}
