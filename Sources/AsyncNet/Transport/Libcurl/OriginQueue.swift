/// Who is on the way to one origin, and who waits in order until there is a place.
///
/// libcurl would keep those that wait too, but look at each of them in every round.
struct OriginQueue {
    private(set) var limit: Int
    private(set) var isHTTP2 = false
    var active = 0
    var isHTTP1 = false
    /// A request that is not idempotent may be on the way, to which it matters what libcurl says of any of the
    /// connections (see `GoAwayLog`).
    private var hasUnrepeatableRequests = false
    /// Places that are behind hold nobody.
    private var waiting: [LibcurlExchange?] = []
    private var first = 0
    /// Of `waiting`, those who no longer wait.
    private var abandoned = 0

    init(limit: Int) { self.limit = limit }

    var hasWaiting: Bool { waiting.count - first > abandoned }

    /// Its requests share connections, so more of them may go at once.
    mutating func shareConnections(_ streams: Int) {
        guard !isHTTP2 else { return }
        isHTTP2 = true
        limit *= streams
    }

    /// Whether libcurl is to say what it does with a request.
    mutating func needsRemarks(isIdempotent: Bool) -> Bool {
        if !isIdempotent { hasUnrepeatableRequests = true }
        return hasUnrepeatableRequests && !isHTTP1
    }

    var isEmpty: Bool { active == 0 && waiting.count - first == abandoned }

    /// How many connections they have at most.
    var connections: Int { isHTTP2 ? min(1, active) : active }

    /// Takes a place, or makes the exchange wait, which is the answer.
    mutating func park(_ exchange: LibcurlExchange, isFull: Bool) -> Bool {
        guard active >= limit || isFull else {
            active += 1
            return false
        }
        waiting.append(exchange)
        return true
    }

    /// The next one to start, for which a place is taken.
    mutating func next() -> LibcurlExchange? {
        guard active < limit else { return nil }
        while first < waiting.count {
            let exchange = waiting[first]
            waiting[first] = nil
            first += 1
            if let exchange, exchange.isParked {
                active += 1
                compact()
                return exchange
            }
            abandoned -= 1
        }
        waiting.removeAll(keepingCapacity: true)
        first = 0
        return nil
    }

    /// One that waited, and is marked, will not start. When they are many they are let go of.
    mutating func abandon() {
        abandoned += 1
        guard abandoned > 32, abandoned * 2 > waiting.count - first else { return }
        waiting = waiting[first...].filter { $0?.isParked == true }
        (first, abandoned) = (0, 0)
    }

    private mutating func compact() {
        guard first > 256, first * 2 > waiting.count else { return }
        waiting.removeFirst(first)
        first = 0
    }
}
