import Synchronization

/// The progress and events that observers of a request receive.
///
/// Nothing is made, and no value is passed on, before the first observer begins.
final class RequestObservers: Sendable {
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
        var isFinished = false
    }

    private let state = Locked(State())
    private let hasObservers = Atomic(false)
    private let hasEventObservers = Atomic(false)

    init() {}

    /// Whether there has ever been an observer.
    var isObserved: Bool { hasObservers.load(ordering: .acquiring) }

    /// Whether there has ever been an observer of events.
    var areEventsObserved: Bool { hasEventObservers.load(ordering: .acquiring) }

    @inline(never)
    func send(_ event: @autoclosure () -> RequestEvent) { channels?.events.send(event()) }
    func send(download progress: TransferProgress) { channels?.downloads.send(progress) }
    func send(upload progress: TransferProgress) { channels?.uploads.send(progress) }

    @inline(never)
    func finish(_ error: AsyncNetError?) {
        let channels = state.withLock { state in
            state.isFinished = true
            return state.channels
        }
        channels?.events.send(.finished(error))
        channels?.finish()
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

    private var channels: Channels? { isObserved ? state.withLock { $0.channels } : nil }

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
