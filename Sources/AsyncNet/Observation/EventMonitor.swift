/// Receives every step of every request of its session.
///
///     struct Log: EventMonitor {
///         func receive(_ event: SessionEvent) { print(event.requestID, event.event) }
///     }
///     let session = Session(configuration: .init(monitors: [Log()]))
///
/// A monitor gets one event after the other, in the order in which they happened, in a task of its own: it may block
/// its thread or wait, and delays no request. A monitor that is too slow loses the oldest of the waiting events;
/// ``SessionEvent/lostBefore`` is their number.
///
/// In a class of the main actor, write `@MainActor` before `receive` too, since Swift 6.3 does not infer it.
public protocol EventMonitor: Sendable {
    /// Called with one event at a time.
    func receive(_ event: SessionEvent) async

    /// Which expensive kinds of events the monitor needs; ``EventInterests/standard`` by default.
    var interests: EventInterests { get }
}

extension EventMonitor {
    /// The standard interests.
    public var interests: EventInterests { .standard }
}

/// A monitor of this library that receives each event at once, so that its results are complete when a program gets the
/// request's outcome.
package protocol ImmediateMonitor: EventMonitor {
    /// Called with the events of a request one after the other. Must not block, and takes a few microseconds.
    func receiveNow(_ event: SessionEvent)
}

extension ImmediateMonitor {
    public func receive(_ event: SessionEvent) async { receiveNow(event) }
}
