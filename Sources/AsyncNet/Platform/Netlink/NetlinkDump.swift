/// Asks for all links, addresses and default routes, and again after every change to them.
///
/// A notification only says that something is to be asked: applying it would not do, since the kernel says nothing of
/// some changes, such as of the IPv4 routes that go with a link. However many there are while an answer is read, they
/// lead to one more question.
package struct NetlinkDump {
    package enum Step: Equatable {
        /// Nothing, until there is more to read.
        case wait
        case send([UInt8])
        case report(RouteTable)
        /// The kernel does not answer; it is asked again after the next change.
        case refuse
    }

    private static let requests = [NetlinkType.getLink, NetlinkType.getAddress, NetlinkType.getRoute]
    /// Where changes never end somebody must be told something.
    private static let maximumAttempts = 5

    private let port: UInt32
    private var sequence: UInt32 = 0
    /// The request that is being answered.
    private var stage: Int?
    private var isAnswered = false
    private var isInterrupted = false
    private var isRefused = false
    private var attempts = 0
    /// Something changed since the first request was made, or none was made yet.
    private var isStale = true
    private var table = RouteTable()

    /// - Parameter port: The socket's own, which tells answers from notifications.
    package init(port: UInt32) { self.port = port }

    package mutating func receive(_ datagram: ArraySlice<UInt8>) {
        for message in NetlinkMessage.all(datagram) {
            if stage != nil, message.port == port, message.sequence == sequence {
                take(message)
            } else if Self.isChange(message) {
                isStale = true
            }
        }
    }

    /// The kernel had more to say than there was room for. Answers may be among what was lost.
    package mutating func lose() {
        isStale = true
        isInterrupted = true
    }

    /// The request could not be sent, so no answer to it will come.
    package mutating func fail() { isRefused = true }

    /// What to do once all is read that is there.
    package mutating func next() -> Step {
        guard let stage else { return isStale ? begin() : .wait }
        let isLastAttempt = attempts >= Self.maximumAttempts
        if isRefused { return finish(.refuse) }
        // An answer that is lost does not come any more: the kernel goes on with one whenever a part of it is read.
        guard isAnswered else { return isInterrupted ? isLastAttempt ? finish(.refuse) : begin() : .wait }
        guard stage + 1 == Self.requests.count else { return ask(stage + 1) }
        return isInterrupted && !isLastAttempt ? begin() : finish(.report(table))
    }

    private mutating func begin() -> Step {
        (table, isStale, isInterrupted, isRefused) = (RouteTable(), false, false, false)
        attempts += 1
        return ask(0)
    }

    private mutating func ask(_ stage: Int) -> Step {
        (self.stage, isAnswered) = (stage, false)
        sequence &+= 1
        return .send(NetlinkMessage.dump(Self.requests[stage], sequence: sequence))
    }

    private mutating func finish(_ step: Step) -> Step {
        (stage, table, attempts) = (nil, RouteTable(), 0)
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

    /// Whether the answer may be another one now. Routes to single networks come and go on routers by the thousand.
    private static func isChange(_ message: NetlinkMessage) -> Bool {
        switch message.type {
        case NetlinkType.newLink, NetlinkType.deletedLink: RouteTable.Link.reading(message.body) != nil
        case NetlinkType.newAddress, NetlinkType.deletedAddress: true
        case NetlinkType.newRoute, NetlinkType.deletedRoute: RouteTable.DefaultRoute(message.body) != nil
        default: false
        }
    }
}
