/// Decides when each of a host's addresses is tried (RFC 8305 §5): 250 ms after the one before, or at once after a
/// failure; the families take turns. The type has no clock: the caller says when its timer is due.
struct HappyEyeballs {
    enum Action: Equatable {
        /// Try the address with this number. If another address is left, it is tried after `attemptDelay`.
        case attempt(Int)
        case wait
        case fail
    }

    static let attemptDelay = Duration.milliseconds(250)

    private let order: [Int]
    private var next = 0
    private var running = 0

    /// - Parameter areIPv6: For each address, in the system's order (RFC 6724), whether it is an IPv6 address.
    init(areIPv6: [Bool]) { order = Self.interleaved(areIPv6) }

    mutating func attemptFailed() -> Action {
        running -= 1
        return advance()
    }

    var hasMore: Bool { next < order.count }

    /// Called at the start, and when `attemptDelay` is over.
    mutating func advance() -> Action {
        guard next < order.count else { return running > 0 ? .wait : .fail }
        next += 1
        running += 1
        return .attempt(order[next - 1])
    }

    private static func interleaved(_ areIPv6: [Bool]) -> [Int] {
        guard let first = areIPv6.first else { return [] }
        let own = areIPv6.indices.filter { areIPv6[$0] == first }
        let other = areIPv6.indices.filter { areIPv6[$0] != first }
        var order: [Int] = []
        for index in 0..<max(own.count, other.count) {
            if index < own.count { order.append(own[index]) }
            if index < other.count { order.append(other[index]) }
        }
        return order
    }
}
