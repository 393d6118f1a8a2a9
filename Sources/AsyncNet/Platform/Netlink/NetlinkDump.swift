/// Requests all links, addresses and default routes, and requests them again after each change.
///
/// A notification only marks the tables as stale: the kernel sends none of some changes, such as the removal of IPv4
/// routes together with a link. Any number of notifications during a dump lead to a single new dump.
struct NetlinkDump {
    enum Step: Equatable {
        case wait
        case send([UInt8])
        case report(RouteTable)
        /// The kernel refused a request, or replies of the last attempt were lost; the dump begins again after the next
        /// change.
        case refuse
    }

    private static let requests = [NetlinkType.getLink, NetlinkType.getAddress, NetlinkType.getRoute]
    /// How many dumps are made in a row while changes interrupt each of them; the last one is reported.
    private static let maximumAttempts = 5

    private let port: UInt32
    private var sequence: UInt32 = 0
    private var stage: Int?
    private var isAnswered = false
    private var isInterrupted = false
    private var isRefused = false
    private var attempts = 0
    /// Whether the tables changed after the dump's first request, or no dump has begun.
    private var isStale = true
    private var table = RouteTable()

    /// - Parameter port: The socket's port: replies contain it, notifications do not.
    init(port: UInt32) { self.port = port }

    mutating func receive(_ datagram: ArraySlice<UInt8>) {
        for message in NetlinkMessage.all(datagram) {
            if stage != nil, message.port == port, message.sequence == sequence {
                take(message)
            } else if Self.isChange(message) {
                isStale = true
            }
        }
    }

    mutating func lose() {
        isStale = true
        isInterrupted = true
    }

    mutating func fail() { isRefused = true }

    mutating func next() -> Step {
        guard let stage else { return isStale ? begin() : .wait }
        let isLastAttempt = attempts >= Self.maximumAttempts
        if isRefused { return finish(.refuse) }
        // A lost reply does not come again, and this dump is over: the kernel continued it while its parts were read.
        guard isAnswered else { return isInterrupted ? isLastAttempt ? finish(.refuse) : begin() : .wait }
        guard stage + 1 == Self.requests.count else { return request(stage + 1) }
        return isInterrupted && !isLastAttempt ? begin() : finish(.report(table))
    }

    private mutating func begin() -> Step {
        table = RouteTable()
        isStale = false
        isInterrupted = false
        isRefused = false
        attempts += 1
        return request(0)
    }

    private mutating func request(_ stage: Int) -> Step {
        (self.stage, isAnswered) = (stage, false)
        sequence &+= 1
        return .send(NetlinkMessage.dump(Self.requests[stage], sequence: sequence))
    }

    private mutating func finish(_ step: Step) -> Step {
        stage = nil
        table = RouteTable()
        attempts = 0
        return step
    }

    private mutating func take(_ message: NetlinkMessage) {
        if message.flags & NetlinkFlag.isInterrupted != 0 { isInterrupted = true }
        switch message.type {
        case NetlinkType.done:
            isAnswered = true
            isRefused = isRefused || message.body.number(Int32.self, at: 0).map { $0 < 0 } ?? false
        case NetlinkType.error: isRefused = true
        default: table.add(message)
        }
    }

    /// Routes other than default routes are ignored: on routers they change by the thousand.
    private static func isChange(_ message: NetlinkMessage) -> Bool {
        switch message.type {
        case NetlinkType.newLink, NetlinkType.deletedLink: RouteTable.Link.reading(message.body) != nil
        case NetlinkType.newAddress, NetlinkType.deletedAddress: true
        case NetlinkType.newRoute, NetlinkType.deletedRoute: RouteTable.DefaultRoute(message.body) != nil
        default: false
        }
    }
}
