import Synchronization

/// The progress and events that observers of a request, and of all requests of its session, receive.
///
/// Nothing is made, and no value is passed on, before the first observer begins.
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

    private struct State {
        var channels: Channels?
        var attempt = 0
        /// The number of hops in this attempt.
        var hops = 0
        var urlTemplate: String?
        /// What receives the request's events when they happen; `nil` before the first event.
        var followers: [any RequestFollower]?
        var isFinished = false
    }

    private let id: RequestID
    private let kind: RequestKind
    private let hub: EventHub
    private let state = Locked(State())
    private let hasObservers = Atomic(false)
    private let hasEventObservers = Atomic(false)
    private let ownMeter: MetricsFollower?

    init(_ id: RequestID, _ kind: RequestKind, _ hub: EventHub) {
        (self.id, self.kind, self.hub, ownMeter) = (id, kind, hub, hub.meter())
    }

    var meter: MetricsFollower? {
        guard let ownMeter, hub.isMeasuredOnly, !hasEventObservers.load(ordering: .acquiring) else { return nil }
        return ownMeter
    }

    /// Whether there has ever been an observer of this request.
    var isOwnObserved: Bool { hasObservers.load(ordering: .acquiring) }

    /// Whether somebody observes the steps of this request.
    var isObserved: Bool { hub.isObserved || hasEventObservers.load(ordering: .acquiring) }

    /// Whether somebody observes all requests of the session.
    var areAllObserved: Bool { hub.isObserved }

    /// What observers need; `nil` if nobody observes.
    var interests: EventInterests? {
        guard isObserved else { return nil }
        var interests = hub.interests
        if hasEventObservers.load(ordering: .acquiring) { interests.sentHeads = true }
        interests.connections = meter == nil
        return interests
    }

    func send(_ event: @autoclosure () -> RequestEvent) {
        guard isObserved else { return }
        send(event(), hop: 0)
    }

    /// Holds the lock while it sends, so that no step follows the request's end.
    func send(_ event: RequestEvent, hop: Int) {
        let isWanted = hub.wants(event)
        guard isWanted || hasEventObservers.load(ordering: .acquiring) else { return }
        state.withLock { state in
            guard !state.isFinished else { return }
            if !event.isFrequent { state.channels?.events.send(event) }
            if isWanted { pass(event, hop: hop, &state) }
        }
    }

    /// An attempt begins with this head.
    func begin(attempt number: Int, _ head: HTTPRequestHead) {
        guard let meter else { return send(.attempt(number, head)) }
        meter.beginAttempt(head, state.withLock { $0.urlTemplate })
    }

    /// Also without observers: one may begin during the attempt.
    func beginAttempt(_ number: Int, _ urlTemplate: String?) {
        state.withLock { ($0.attempt, $0.hops, $0.urlTemplate) = (number, 0, urlTemplate) }
    }

    func beginHop() -> Int {
        state.withLock { state in
            state.hops += 1
            return state.hops
        }
    }

    func send(download progress: TransferProgress) { channels?.downloads.send(progress) }
    func send(upload progress: TransferProgress) { channels?.uploads.send(progress) }

    /// Sends the end, and ends the loops of observers.
    func finish(_ outcome: TransferOutcome) {
        let channels = state.withLock { state in
            if !state.isFinished { passEnd(outcome, &state) }
            // Here, since an observer that begins now ends the loops of the others.
            state.channels?.events.send(.finished(outcome.error))
            state.isFinished = true
            return state.channels
        }
        channels?.finish()
    }

    private func passEnd(_ outcome: TransferOutcome, _ state: inout State) {
        if let meter {
            let end = RequestEnd(
                error: outcome.error, status: outcome.head?.statusCode, total: outcome.metrics.total,
                sentBytes: outcome.metrics.sentBytes, receivedBytes: outcome.metrics.receivedBytes)
            return meter.finish(end, outcome.request?.head, outcome.request?.urlTemplate)
        }
        guard hub.isObserved else { return }
        pass(.finished(outcome.error), hop: 0, &state, SharedValue(outcome.summary))
    }

    /// Sends a step that may follow the end, to the observers of all requests.
    func sendDecoded(_ type: Any.Type, after time: Duration, _ error: AsyncNetError?) {
        if let meter { return meter.decoded(after: time, error) }
        guard hub.isObserved else { return }
        let event = RequestEvent.decoded(type: _typeName(type, qualified: false), after: time, error)
        state.withLock { pass(event, hop: 0, &$0) }
    }

    /// Passes a step on to the observers of all requests.
    private func pass(
        _ event: RequestEvent, hop: Int, _ state: inout State, _ ending: SharedValue<RequestSummary>? = nil
    ) {
        let followers = state.followers ?? ownMeter.map { [$0] } ?? hub.followers(of: id)
        state.followers = followers
        let event = SessionEvent(
            id, kind, attempt: state.attempt, hop: hop, urlTemplate: state.urlTemplate, hub.time, event, ending)
        hub.send(event, to: followers)
    }

    // MARK: Observing

    func observeEvents() -> AsyncStream<RequestEvent> {
        defer { hasEventObservers.store(true, ordering: .releasing) }
        return makeChannels().events.observe()
    }

    /// - Parameter latest: The progress so far, which the observer gets first; `nil` if there is none.
    func observeDownloads(latest: () -> TransferProgress?) -> AsyncStream<TransferProgress> {
        makeChannels().downloads.observe(unlessKnown: latest())
    }

    /// - Parameter latest: As for `observeDownloads(latest:)`.
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
    /// Whether there may be one for each chunk of a body.
    fileprivate var isFrequent: Bool {
        switch self {
        case .sentBody, .receivedBody, .requestBody, .responseBody: true
        default: false
        }
    }
}
