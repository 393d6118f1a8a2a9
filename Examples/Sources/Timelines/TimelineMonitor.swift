package import AsyncNet
import Synchronization

/// Keeps the timeline of the session that it monitors.
package final class TimelineMonitor: EventMonitor {
    private let state = Mutex(SessionTimeline())

    package init() {}

    /// Numbers of bytes, which show how long a request's body takes; no bytes, and no certificates.
    package var interests: EventInterests { EventInterests(sentHeads: true, bodyBytes: true) }

    package func receive(_ event: SessionEvent) async { state.withLock { $0.receive(event) } }

    /// The timeline so far, see ``Session/monitorsReceivedEvents()``.
    package var timeline: SessionTimeline { state.withLock { $0 } }

    package func take(_ id: RequestID) -> RequestTimeline? { state.withLock { $0.take(id) } }
}
