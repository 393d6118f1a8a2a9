public import AsyncNet
public import ServiceLifecycle

/// A session as a service of swift-service-lifecycle: it ends with the program, and its running requests end before it.
///
///     let group = ServiceGroup(
///         services: [SessionService(session), server], gracefulShutdownSignals: [.sigterm], logger: logger)
///     try await group.run()
///
/// At a graceful shutdown the session refuses new requests with `.sessionFinished`, and lets running requests end with
/// what they need, as `Session.finish()` describes. Those that still run when the time limit is over end with
/// `.cancelled`.
///
/// A group shuts its services down from the last to the first: list the session before the services that use it.
public struct SessionService: Service {
    private let session: Session
    private let limit: Duration

    /// A service for a session.
    ///
    /// - Parameters:
    ///   - session: The session, which can be used before the service runs.
    ///   - limit: How long running requests have to end, on the session's clock. 20 seconds by default, less than the
    ///     30 after which Kubernetes kills a program.
    public init(_ session: Session, finishWithin limit: Duration = .seconds(20)) {
        self.session = session
        self.limit = limit
    }

    /// Waits for the graceful shutdown of its group, then finishes the session; returns when its transport is shut down.
    ///
    /// If the task is cancelled, before or during the shutdown, running requests are cancelled at once, and this function
    /// returns without waiting for the transport.
    public func run() async {
        try? await gracefulShutdown()
        if await !finishes() { await cancelRequests() }
    }

    /// Finishes the session; whether it has finished before the limit.
    private func finishes() async -> Bool {
        await withTaskGroup(of: Bool.self) { [session, limit] group in
            group.addTask {
                await session.finish()
                return !Task.isCancelled
            }
            group.addTask {
                try? await session.configuration.clock.sleep(for: limit)
                return false
            }
            let hasFinished = await group.next() ?? false
            // In a cancelled task `finish()` returns at once, and the session finishes in the background.
            group.cancelAll()
            return hasFinished
        }
    }

    /// Cancels the running requests, and those that begin until the session has finished, such as those of a loop over
    /// pages.
    private func cancelRequests() async {
        let events = session.events
        await session.cancelAll()
        for await event in events {
            switch event.event {
            case .resumed, .attempt: await session.cancelAll()
            default: continue
            }
        }
    }
}
