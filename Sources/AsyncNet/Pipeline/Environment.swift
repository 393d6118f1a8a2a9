import Foundation
import Synchronization

/// What all requests of a session share: configuration, transport, timers, limits. Stations use this, not the session.
final class Environment: Sendable {
    let configuration: SessionConfiguration
    let transport: any Transport
    /// Whether the transport is that of ``AutomaticTransport``, in whose place a test's may come.
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

    /// The wall clock's time, moved by the session's clock if that is a clock of the user's.
    var date: Date { timers.time.nanoseconds != nil ? Date() : start.addingTimeInterval(timers.time.now / .seconds(1)) }

    /// A transport may be the user's: `shutdown`, like `send`, runs on no actor.
    @concurrent
    func shutTransportDown() async { await transport.shutdown() }

    /// The transport for the requests that the current task makes; `nil` if it is the session's own.
    var scopedTransport: ScopedTransport? { isAutomatic ? ScopedTransport.current : nil }
}
