import Synchronization

/// The entrance: makes requests, holds what they have in common, and knows which of them run.
///
///     let session = Session()
///     let user = try await session.request("https://api.example.com/users/1").serializing(User.self).value
///
/// Making a request is synchronous and does no I/O; see ``DataRequest`` for when it starts. User code, such as
/// serializers, validators and transports, never runs inside the session.
///
/// A session lives for as long as somebody holds it or one of its requests. ``finish()`` ends it in good order.
public actor Session {
    /// A session with defaults, for programs that need no other.
    public static let shared = Session()

    public nonisolated let configuration: SessionConfiguration
    package nonisolated let transport: any Transport
    /// Which transport carries the requests, such as `libcurl 7.88.1 (OpenSSL/3.0.19)`, and why not a better one if so.
    public nonisolated let transportDescription: String
    package nonisolated let mailbox = Mailbox()
    package nonisolated let timers: TimerQueue
    nonisolated let limits: SessionLimits

    private var running: [RequestID: any Request] = [:]
    /// Transfers that have not ended yet, those of cancelled requests included. Counted down without entering the
    /// session.
    private nonisolated let transfers = Atomic(0)
    /// `isFinished`, for those outside. Set before the transfers are looked at, looked at after they are counted down.
    private nonisolated let isFinishing = Atomic(false)
    package private(set) var isFinished = false
    private var finishers: [Int: CheckedContinuation<Void, Never>] = [:]
    private var nextFinisher = 0
    /// Shuts the transport down once the last transfer has ended, whether or not anyone waits for that.
    private var shutdown: Task<Void, Never>?
    private var isShutDown = false

    /// A session over a transport of one's choice.
    ///
    /// - Parameters:
    ///   - transport: What carries the bytes; the session shuts it down when it finishes.
    ///   - configuration: What the requests have in common.
    public init(transport: some Transport = .automatic, configuration: SessionConfiguration = SessionConfiguration()) {
        self.transport = (transport as? AutomaticTransport)?.chosen ?? transport
        transportDescription = transport.transportDescription
        self.configuration = configuration
        timers = TimerQueue(TimeSource(opening: configuration.clock))
        limits = SessionLimits(configuration, timers)
    }

    /// A session whose relative URLs are resolved against `baseURL` (RFC 3986 §5); end it with a slash to keep its last
    /// part. The URL `""` is the base itself, with its query.
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
        running.sorted { $0.key < $1.key }.map { _, request in
            (request as? DataRequest)?.facade.withLock { $0.request } ?? request
        }
    }

    /// The running requests of one kind, oldest first.
    public func requests(ofKind kind: RequestKind) -> [any Request] {
        requests.filter { $0.kind == kind }
    }

    /// Cancels every request that has started and not ended. When this returns, each of them has its outcome.
    public func cancelAll() async {
        for request in requests { await request.cancel() }
    }

    /// Refuses new requests with `.sessionFinished`, lets the running ones end, then shuts the transport down.
    ///
    /// Returns once all has ended. If the awaiting task is cancelled it returns at once, and the rest goes on without
    /// it.
    public func finish() async {
        isFinished = true
        isFinishing.store(true, ordering: .sequentiallyConsistent)
        shutDownIfDrained()
        guard !isShutDown, !Task.isCancelled else { return }
        nextFinisher += 1
        let id = nextFinisher
        await withTaskCancellationHandler {
            await withCheckedContinuation { finishers[id] = $0 }
        } onCancel: {
            mailbox.post { await self.leave(id) }
        }
    }

    private func leave(_ finisher: Int) {
        finishers.removeValue(forKey: finisher)?.resume()
    }

    private func shutDownIfDrained() {
        guard isFinished, transfers.load(ordering: .sequentiallyConsistent) == 0, shutdown == nil else { return }
        shutdown = Task {
            await shutTransportDown()
            isShutDown = true
            for finisher in finishers.values { finisher.resume() }
            finishers = [:]
        }
    }
}

extension Session {
    /// A transport may be the user's: like its `send`, this runs on no actor.
    @concurrent
    private nonisolated func shutTransportDown() async {
        await transport.shutdown()
    }
}

extension Session: RequestHost {
    package func begin(_ request: any Request) -> AsyncNetError? {
        guard !isFinished else { return AsyncNetError(.sessionFinished) }
        running[request.id] = request
        transfers.add(1, ordering: .sequentiallyConsistent)
        return nil
    }

    /// A further transfer of a request that has begun.
    nonisolated func beginPart() { transfers.add(1, ordering: .sequentiallyConsistent) }

    package func end(_ id: RequestID) {
        running[id] = nil
    }

    package nonisolated func drained() {
        let rest = transfers.subtract(1, ordering: .sequentiallyConsistent).newValue
        guard rest == 0, isFinishing.load(ordering: .sequentiallyConsistent) else { return }
        mailbox.post { await self.shutDownIfDrained() }
    }

    @concurrent
    package nonisolated func perform(_ request: DataRequest) async -> TransferOutcome {
        var pipeline = Pipeline(session: self, request: request)
        return await pipeline.run()
    }
}
