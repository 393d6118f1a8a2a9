/// Makes requests, holds what they have in common, and lists those that run.
///
///     let session = Session()
///     let user = try await session.request("https://api.example.com/users/1").serializing(User.self).value
///
/// Making a request is synchronous and does no I/O; see ``DataRequest`` for when it starts. User code, such as
/// serializers, validators and transports, never runs on the session's actor.
///
/// A session lives for as long as the program holds the session or one of its requests. ``finish()`` waits for its
/// requests and shuts the transport down.
public actor Session {
    /// A session with the default configuration, for programs that need no other.
    public static let shared = Session()

    /// The settings for the session's requests.
    public nonisolated var configuration: SessionConfiguration { environment.configuration }
    /// The transport's description of itself, such as `sockets (OpenSSL 3.0.19)`. This package's transports also say if
    /// they do not verify certificates.
    public nonisolated let transportDescription: String
    nonisolated let environment: Environment
    nonisolated var assembly: RequestAssembly { environment.assembly }

    private var running: [RequestID: RequestEngine] = [:]
    private(set) var isFinished = false
    /// Fulfilled when the transport has been shut down.
    private let end = Promise<Void>()
    /// Shuts the transport down when the last transfer has ended, even if no task awaits `finish()` any more.
    private var shutdown: Task<Void, Never>?
    /// The timer that ends the wait of `finish()` for loops over pages which ask for no next page.
    private var patience: TimerQueue.Timer?
    private var isPatient = true

    /// A session over the given transport, which ``finish()`` shuts down.
    public init(transport: some Transport = .automatic, configuration: SessionConfiguration = SessionConfiguration()) {
        transportDescription = transport.transportDescription
        let automatic = transport as? AutomaticTransport
        environment = Environment(configuration, automatic?.chosen ?? transport, isAutomatic: automatic != nil)
    }

    /// A session whose relative URLs are resolved against `baseURL` (RFC 3986 §5); without a slash at its end, its last
    /// path segment is replaced. The URL `""` is the base URL itself, with its query.
    public init(
        baseURL: some URLConvertible, transport: some Transport = .automatic,
        configuration: SessionConfiguration = SessionConfiguration()
    ) {
        var configuration = configuration
        configuration.baseURL = baseURL
        self.init(transport: transport, configuration: configuration)
    }

    /// The requests that have started and not ended, oldest first.
    public var requests: [any Request] {
        running.sorted { $0.key < $1.key }.map { $0.value.target.handle(of: $0.value) }
    }

    /// The running requests of one kind, oldest first.
    public func requests(ofKind kind: RequestKind) -> [any Request] {
        requests.filter { $0.kind == kind }
    }

    /// Cancels every request that has started and not ended. When this function returns, each of them has its outcome.
    public func cancelAll() async {
        for request in requests { await request.cancel() }
        environment.revalidations.cancelAll()
    }

    /// Refuses new requests with `.sessionFinished`, lets the running requests end, then shuts the transport down.
    ///
    /// What running requests need is still sent: their retries and redirects, and the requests that their own adapters,
    /// retriers, authenticators and other code make in this session. So are the next pages of a loop over
    /// ``pages(_:from:parameters:encoder:headers:options:decoder:next:)`` that has its first page; this function does
    /// not wait for a loop that asks for no page for 10 seconds while no request runs, and waits for a list without an
    /// end until the loop ends or its task is cancelled. Each running request may begin 10 more attempts, so that a
    /// stream which always reconnects ends. Do not call this function in code that a running request waits for.
    ///
    /// Returns when the transport is shut down and the monitors have received all events, for which it waits at most a
    /// second. If the awaiting task is cancelled, it returns at once, and the session finishes in the background.
    public func finish() async {
        isFinished = true
        if shutdown == nil {
            // A retain cycle until the shutdown: session → transfers → session.
            environment.transfers.close { [self] in environment.mailbox.post { await self.shutDownIfDrained() } }
            shutDownIfDrained()
        }
        try? await end.value()
    }

    private func shutDownIfDrained() {
        guard isFinished, environment.transfers.isEmpty, shutdown == nil else { return }
        guard !isPatient || !environment.transfers.hasLoops else { return waitForLoops() }
        if let patience { environment.timers.cancel(patience) }
        patience = nil
        // ConcurrencyGuarantees.md lists this task: shutdown
        shutdown = Task {
            environment.transfers.forgetClosing()
            await environment.shutTransportDown()
            environment.events.endConnections()
            await environment.events.drainedSoon()
            environment.events.close()
            end.fulfil(.success(()))
        }
    }

    private static let longestPause = Duration.seconds(10)

    private func waitForLoops() {
        if let patience { environment.timers.cancel(patience) }
        let begun = environment.transfers.begunCount
        patience = environment.timers.schedule(at: environment.timers.time.now + Self.longestPause) { [self] in
            environment.mailbox.post { await self.loopsHavePaused(since: begun) }
            return nil
        }
    }

    private func loopsHavePaused(since begun: Int) {
        guard environment.transfers.begunCount == begun else { return }
        isPatient = false
        shutDownIfDrained()
    }

    /// Whether requests of the current task are refused: after ``finish()``, unless it works for a running request.
    var refuses: Bool {
        guard isFinished else { return false }
        return shutdown != nil || Purpose.current?.isNeeded(in: environment.identity) != true
    }

    /// Every step of every request, from here on: in the order in which the steps happen, until ``finish()`` or the end
    /// of the session.
    ///
    ///     for await event in session.events { print(event) }
    ///
    /// Observing begins when this property is read; read it once for each loop. Any number of loops may observe, and
    /// none delays a request: up to 10,000 events wait for a loop, then the oldest are lost;
    /// ``SessionEvent/lostBefore`` counts the lost events.
    public nonisolated var events: some AsyncSequence<SessionEvent, Never> & Sendable {
        environment.events.observe(.standard, capacity: 10_000)
    }

    /// Every event, with the expensive kinds that `interests` selects, see ``EventInterests``.
    ///
    /// - Parameters:
    ///   - interests: Which of the expensive kinds of events are needed.
    ///   - capacity: How many events wait for this observer before it loses the oldest.
    public nonisolated func events(_ interests: EventInterests, capacity: Int = 10_000) -> some AsyncSequence<
        SessionEvent, Never
    > & Sendable {
        environment.events.observe(interests, capacity: capacity)
    }

    /// Returns when the session's monitors have received all events so far, or when the task is cancelled. A monitor
    /// must not await this function, since the monitor would wait for itself.
    public nonisolated func monitorsReceivedEvents() async { await environment.events.drained() }
}

extension Session: RequestSession {
    func begin(_ request: RequestEngine) throws(AsyncNetError) -> Purpose {
        guard !refuses else { throw AsyncNetError(.sessionFinished) }
        running[request.id] = request
        environment.transfers.begin()
        return Purpose(in: isFinished ? nil : environment.identity, for: Purpose.current)
    }

    func end(_ id: RequestID) { running[id] = nil }
}

extension Session: CustomReflectable {
    /// What `dump` shows: the transport and the configuration, without secrets.
    public nonisolated var customMirror: Mirror {
        Mirror(self, children: ["transport": transportDescription, "configuration": configuration])
    }
}
