import Foundation

/// What all requests of a session share: configuration, transport, timers, limits. Stations use this, not the session.
final class Environment: Sendable {
    let configuration: SessionConfiguration
    let transport: any Transport
    /// Whether the session has an ``AutomaticTransport``, which a test's transport may replace.
    private let isAutomatic: Bool
    let timers: TimerQueue
    let mailbox: Mailbox
    let limits: SharedLimits
    let revalidations = CacheRevalidations()
    let transfers = TransferCount()
    let events: EventHub
    let policies: PolicyList
    private let start = Date()
    let assembly: RequestAssembly

    init(_ configuration: SessionConfiguration, _ transport: any Transport, isAutomatic: Bool = false) {
        self.configuration = configuration
        (self.transport, self.isAutomatic) = (transport, isAutomatic)
        timers = TimerQueue(TimeSource(configuration.clock))
        events = EventHub(configuration.monitors, timers.time)
        mailbox = Mailbox(on: timers.time.executor)
        limits = SharedLimits(configuration, timers.time)
        policies = PolicyList(configuration.interceptors)
        assembly = RequestAssembly(configuration)
    }

    var identity: ObjectIdentifier { ObjectIdentifier(self) }

    var cache: HTTPCache? { configuration.cache }

    /// The wall clock's time; with a clock of the user's, the wall clock's time at the start plus the time of that
    /// clock.
    var date: Date { timers.time.nanoseconds != nil ? Date() : start.addingTimeInterval(timers.time.now / .seconds(1)) }

    /// Shuts the transport down on no actor: a transport of the user's may block.
    @concurrent
    func shutTransportDown() async { await transport.shutdown() }

    /// The transport for the requests that the current task makes; `nil` if it is the session's own.
    var scopedTransport: ScopedTransport? { isAutomatic ? ScopedTransport.current : nil }
}
