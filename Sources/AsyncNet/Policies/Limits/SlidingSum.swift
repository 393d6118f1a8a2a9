/// The sum of the amounts that were added within a window of time. The window has ten slots; the oldest is dropped
/// after each tenth of the window, so an amount counts for between nine and ten tenths of it.
struct SlidingSum {
    private static let slotCount = 10

    private let slotLength: Int64
    private var slots = Array(repeating: Int64(0), count: slotCount)
    private var latest: Int64 = 0
    private var total: Int64 = 0

    /// A window below 10 nanoseconds counts as 10, above a century as a century.
    init(window: Duration) {
        slotLength = max(1, min(max(window, .zero), .longestWait).wholeNanoseconds / Int64(Self.slotCount))
    }

    mutating func add(_ amount: Int64, at now: Duration) {
        advance(to: now)
        slots[Int(latest % Int64(Self.slotCount))].addClamping(amount)
        total.addClamping(amount)
    }

    mutating func value(at now: Duration) -> Int64 {
        advance(to: now)
        return total
    }

    /// A time before the latest one counts as the latest.
    private mutating func advance(to now: Duration) {
        let current = max(now.wholeNanoseconds / slotLength, latest)
        let passed = min(current - latest, Int64(Self.slotCount))
        for slot in 0..<passed {
            let index = Int((current - slot) % Int64(Self.slotCount))
            total.addClamping(-slots[index])
            slots[index] = 0
        }
        latest = current
    }
}

extension Int64 {
    fileprivate mutating func addClamping(_ amount: Int64) {
        let (sum, isOverflow) = addingReportingOverflow(amount)
        self = isOverflow ? (amount > 0 ? .max : .min + 1) : sum
    }
}
