import Foundation

/// One direction of a proxied connection with its faults, as a value without sockets and without a clock: bytes are put
/// in, and `next` says what to do at which time. All times are counted from one moment that the caller chooses.
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
        /// The bytes that have passed since the connection got the fault.
        var passed = 0
        var hasDropped = false
    }

    struct Chunk {
        var bytes: Data
        let arrival: Duration
        /// The delay by latency faults with their jitter; `nil` until the chunk is the next to be written.
        var latency: Duration?
    }

    /// The source is not read while the flow holds this number of bytes; one read may exceed it.
    static let capacity = 256 * 1024

    var faults: [Active] = []
    var chunks: [Chunk] = []
    /// The chunks before this index have been written.
    var first = 0
    var bufferedBytes = 0
    var end: (kind: End, arrival: Duration)?
    /// The next bytes to write, and when; `nil` until they are determined.
    var slice: (count: Int, due: Duration)?
    /// When the last slice was due; `nil` before the first.
    var lastDue: Duration?
    var link = LinkSchedule(bytesPerSecond: nil)
    var random: SplitMix
    /// Whether a fault that has ended has dropped bytes.
    var isBroken = false
    /// When the first bytes arrived that a fault has dropped.
    var firstDrop: Duration?
    /// The number of bytes that faults have dropped.
    var droppedBytes = 0
    /// Whether the direction or the connection has ended.
    private(set) var isDone = false

    init(random: SplitMix) { self.random = random }

    // MARK: Faults

    /// Replaces the faults. Bytes that wait are scheduled again, so that no fault that has ended holds them back.
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
        // Bytes that arrived before the change may pass at the new rate from now on.
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

    /// Notes that the source has ended.
    mutating func finish(_ kind: End, now: Duration) { end = end ?? (kind, now) }

    /// Ends this direction, and drops its bytes: the destination takes no more.
    mutating func abandon() {
        isDone = true
        dropBytes()
    }

    mutating func dropBytes() {
        (chunks, first, bufferedBytes, slice) = ([], 0, 0, nil)
    }

    /// Notes how many of the bytes of `.write` the destination has taken.
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
