import Synchronization

/// Sends the events of a request to its own observers and to the session's. Allocates no channels before the first
/// observer begins.
final class RequestObservers: EventTarget {
    private struct Channels {
        let downloads = Broadcast<TransferProgress>(keepsLatest: true)
        let uploads = Broadcast<TransferProgress>(keepsLatest: true)
        let events = Broadcast<RequestEvent>(keepsLatest: false)

        func finish() {
            events.finish()
            downloads.finish()
            uploads.finish()
        }
    }

    private struct OpenHop {
        let hop: RunningHop
        let attempt: Int
        let number: Int
    }

    private struct State {
        var channels: Channels?
        var attempt = 0
        var hops = 0
        /// The hops that run: several for a hedged request, or a download in segments.
        var openHops: [OpenHop] = []
        var urlTemplate: String?
        var isFinished = false
    }

    private let id: RequestID
    private let kind: RequestKind
    private let hub: EventHub
    private let values: RequestValues
    private let state = Locked(State())
    private let hasObservers = Atomic(false)
    private let hasEventObservers = Atomic(false)

    init(_ id: RequestID, _ kind: RequestKind, _ hub: EventHub, _ values: RequestValues = RequestValues()) {
        self.id = id
        self.kind = kind
        self.hub = hub
        self.values = values
    }

    /// Whether there has ever been an observer of this request.
    var isOwnObserved: Bool { hasObservers.load(ordering: .acquiring) }

    /// Whether somebody observes the steps of this request.
    var isObserved: Bool { hub.isObserved || hasEventObservers.load(ordering: .acquiring) }

    var areAllObserved: Bool { hub.isObserved }

    var interests: EventInterests? {
        guard isObserved else { return nil }
        var interests = hub.interests
        if hasEventObservers.load(ordering: .acquiring) { interests.sentHeads = true }
        return interests
    }

    func send(_ event: @autoclosure () -> RequestEvent) {
        guard isObserved else { return }
        send(event(), of: nil)
    }

    /// Holds the lock while it sends, so that no step follows the request's end.
    func send(_ event: RequestEvent, of hop: RunningHop?) {
        guard isObserved else { return }
        state.withLock { state in
            guard !state.isFinished else { return }
            let openHop = hop.flatMap { hop in state.openHops.first { $0.hop === hop } }
            send(event, of: openHop, &state)
        }
    }

    private func send(_ event: RequestEvent, of hop: OpenHop?, _ state: inout State) {
        if !event.isFrequent { state.channels?.events.send(event) }
        if hub.isObserved { pass(event, of: hop, &state) }
    }

    /// Called also without observers: one may begin during the attempt.
    func beginAttempt(_ number: Int, _ urlTemplate: String?) {
        state.withLock { ($0.attempt, $0.hops, $0.urlTemplate) = (number, 0, urlTemplate) }
    }

    func begin(_ hop: RunningHop) -> Bool {
        state.withLock { state in
            guard !state.isFinished else { return false }
            state.hops += 1
            let openHop = OpenHop(hop: hop, attempt: state.attempt, number: state.hops)
            state.openHops.append(openHop)
            send(.hop(hop.request), of: openHop, &state)
            return true
        }
    }

    func end(_ hop: RunningHop, _ summary: HopSummary) {
        state.withLock { state in
            guard let index = state.openHops.firstIndex(where: { $0.hop === hop }) else { return }
            end(state.openHops.remove(at: index), summary, &state)
        }
    }

    private func end(_ openHop: OpenHop, _ summary: HopSummary, _ state: inout State) {
        var summary = summary
        summary.metrics.attempt = openHop.attempt
        summary.metrics.hop = openHop.number
        send(.hopEnded(summary), of: openHop, &state)
    }

    /// Ends the hops of a request that is over. A transfer that other requests wait for goes on.
    private func endHops(_ error: AsyncNetError?, _ state: inout State) -> [OpenHop] {
        let ending = error.map { HopSummary.Ending($0) } ?? .cancelled
        for openHop in state.openHops {
            let hop = openHop.hop
            if hop.isShared { hop.memberFailed(error) }
            end(openHop, hop.isShared ? hop.summary(ending) : hop.end(ending), &state)
        }
        defer { state.openHops = [] }
        return state.openHops
    }

    // Sent once for the same bytes: the transport, the reader of a body and the body's end each report them.
    func send(download progress: TransferProgress) {
        channels?.downloads.send(progress, unless: progress.hasSameBytes(as:))
    }
    func send(upload progress: TransferProgress) {
        channels?.uploads.send(progress, unless: progress.hasSameBytes(as:))
    }

    func finish(_ outcome: TransferOutcome) {
        let (channels, hops) = state.withLock { state in
            let hops = endHops(outcome.error, &state)
            if !state.isFinished, hub.isObserved {
                pass(.finished(outcome.error), of: nil, &state, SharedValue(outcome.summary))
            }
            // Before `isFinished` is set: an observer that begins later ends all loops, after this event.
            state.channels?.events.send(.finished(outcome.error))
            state.isFinished = true
            return (state.channels, hops)
        }
        channels?.finish()
        for openHop in hops where !openHop.hop.isShared { openHop.hop.endTrace() }
    }

    /// Sends the decoding step, which may follow the request's end, to the session's observers.
    func sendDecoded(_ type: Any.Type, after time: Duration, _ error: AsyncNetError?) {
        guard hub.isObserved else { return }
        let event = RequestEvent.decoded(type: _typeName(type, qualified: false), after: time, error)
        state.withLock { pass(event, of: nil, &$0) }
    }

    private func pass(
        _ event: RequestEvent, of hop: OpenHop?, _ state: inout State, _ ending: SharedValue<RequestSummary>? = nil
    ) {
        let event = SessionEvent(
            requestID: id, attempt: hop?.attempt ?? state.attempt, hop: hop?.number ?? 0, instant: hub.instant,
            urlTemplate: state.urlTemplate, ending: ending, event: event, kind: kind, values: values)
        hub.send(event)
    }

    func observeEvents() -> AsyncStream<RequestEvent> {
        defer { hasEventObservers.store(true, ordering: .releasing) }
        return makeChannels().events.observe()
    }

    /// - Parameter latest: The progress so far, which the observer gets first; `nil` if there is none.
    func observeDownloads(latest: () -> TransferProgress?) -> AsyncStream<TransferProgress> {
        makeChannels().downloads.observe(unlessKnown: latest())
    }

    func observeUploads(latest: () -> TransferProgress?) -> AsyncStream<TransferProgress> {
        makeChannels().uploads.observe(unlessKnown: latest())
    }

    private var channels: Channels? { isOwnObserved ? state.withLock { $0.channels } : nil }

    private func makeChannels() -> Channels {
        let (channels, isFinished) = state.withLock { state in
            let channels = state.channels ?? Channels()
            state.channels = channels
            return (channels, state.isFinished)
        }
        hasObservers.store(true, ordering: .releasing)
        if isFinished { channels.finish() }
        return channels
    }
}

extension RequestEvent {
    /// Whether there may be an event of this kind for each chunk of a body.
    fileprivate var isFrequent: Bool {
        switch self {
        case .sentBody, .receivedBody, .requestBody, .responseBody: true
        default: false
        }
    }
}
