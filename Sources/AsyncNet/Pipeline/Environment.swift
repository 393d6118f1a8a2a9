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
    /// The observers of all requests.
    let events: EventHub
    /// The session's interceptors.
    let policies: PolicyList
    /// When the session was made.
    private let start = Date()
    /// Makes the requests that are sent from callers' arguments.
    let assembly: RequestAssembly

    init(_ configuration: SessionConfiguration, _ transport: any Transport, isAutomatic: Bool = false) {
        self.configuration = configuration
        (self.transport, self.isAutomatic) = (transport, isAutomatic)
        timers = TimerQueue(TimeSource(configuration.clock))
        events = EventHub(configuration.monitors, timers.time)
        mailbox = Mailbox(on: timers.time.executor)
        limits = SharedLimits(configuration, timers)
        policies = PolicyList(configuration.interceptors)
        assembly = RequestAssembly(configuration)
    }

    /// Tells this session from others.
    var identity: ObjectIdentifier { ObjectIdentifier(self) }

    var cache: HTTPCache? { configuration.cache }

    /// The wall clock's time, moved by the session's clock if that is a clock of the user's.
    var date: Date { timers.time.nanoseconds != nil ? Date() : start.addingTimeInterval(timers.time.now / .seconds(1)) }

    /// The transport for the requests that the current task makes; `nil` if it is the session's own.
    var scopedTransport: ScopedTransport? { isAutomatic ? ScopedTransport.current : nil }
}

/// Counts the transfers that have not ended yet, those of cancelled requests included.
///
/// `close` sets its flag before its caller reads the count; `end` counts down before it reads the flag. So at least one
/// of the two notices that the last transfer has ended.
final class TransferCount: Sendable {
    private let running = Atomic(0)
    private let begun = Atomic(0)
    private let loops = Atomic(0)
    private let closes = Atomic(false)
    private let onDrained = Locked<(@Sendable () -> Void)?>(nil)

    func begin() {
        begun.add(1, ordering: .sequentiallyConsistent)
        running.add(1, ordering: .sequentiallyConsistent)
    }

    func end() {
        let rest = running.subtract(1, ordering: .sequentiallyConsistent).newValue
        guard rest == 0, isClosing else { return }
        onDrained.withLock { $0 }?()
    }

    /// A loop over pages has begun: between its pages no transfer runs, and another will follow.
    func beginLoop() { loops.add(1, ordering: .sequentiallyConsistent) }

    func endLoop() {
        loops.subtract(1, ordering: .sequentiallyConsistent)
        if isClosing { onDrained.withLock { $0 }?() }
    }

    var hasLoops: Bool { loops.load(ordering: .sequentiallyConsistent) > 0 }
    /// How many transfers have begun so far.
    var begunCount: Int { begun.load(ordering: .sequentiallyConsistent) }
    var isClosing: Bool { closes.load(ordering: .sequentiallyConsistent) }

    var isEmpty: Bool { running.load(ordering: .sequentiallyConsistent) == 0 }

    /// From now on calls `onDrained` each time that the count becomes zero.
    func close(onDrained: @escaping @Sendable () -> Void) {
        self.onDrained.withLock { $0 = onDrained }
        closes.store(true, ordering: .sequentiallyConsistent)
    }

    /// Releases the closure given to `close`.
    func forgetClosing() { onDrained.withLock { $0 = nil } }
}
