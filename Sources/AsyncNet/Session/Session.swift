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

    /// What the session's requests have in common.
    public nonisolated var configuration: SessionConfiguration { environment.configuration }
    /// Which transport carries the requests, such as `libcurl 7.88.1 (OpenSSL/3.0.19)`, and the reason if it is not the
    /// preferred one.
    public nonisolated let transportDescription: String
    nonisolated let environment: Environment

    private var running: [RequestID: RequestEngine] = [:]
    private(set) var isFinished = false
    private var finishers: [Int: CheckedContinuation<Void, Never>] = [:]
    private var nextFinisher = 0
    /// Shuts the transport down once the last transfer has ended, whether or not a task awaits that.
    private var shutdown: Task<Void, Never>?
    private var isShutDown = false

    /// A session over a transport of one's choice.
    ///
    /// - Parameters:
    ///   - transport: What carries the bytes; the session shuts it down when it finishes.
    ///   - configuration: What the requests have in common.
    public init(transport: some Transport = .automatic, configuration: SessionConfiguration = SessionConfiguration()) {
        transportDescription = transport.transportDescription
        environment = Environment(configuration, (transport as? AutomaticTransport)?.chosen ?? transport)
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
        running.sorted { $0.key < $1.key }.map(\.value.handle)
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
        if shutdown == nil {
            // A retain cycle until the shutdown: session → transfers → session.
            environment.transfers.close { [self] in environment.mailbox.post { await self.shutDownIfDrained() } }
            shutDownIfDrained()
        }
        guard !isShutDown, !Task.isCancelled else { return }
        nextFinisher += 1
        let id = nextFinisher
        await withTaskCancellationHandler {
            await withCheckedContinuation { finishers[id] = $0 }
        } onCancel: {
            environment.mailbox.post { await self.leave(id) }
        }
    }

    private func leave(_ finisher: Int) {
        finishers.removeValue(forKey: finisher)?.resume()
    }

    private func shutDownIfDrained() {
        guard isFinished, environment.transfers.isEmpty, shutdown == nil else { return }
        shutdown = Task {
            environment.transfers.forgetClosing()
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
        await environment.transport.shutdown()
    }
}

extension Session: RequestHost {
    func begin(_ request: RequestEngine) -> AsyncNetError? {
        guard !isFinished else { return AsyncNetError(.sessionFinished) }
        running[request.id] = request
        environment.transfers.begin()
        return nil
    }

    func end(_ id: RequestID) { running[id] = nil }
}

extension RequestEngine {
    /// The request as users know it.
    fileprivate nonisolated var handle: any Request {
        switch target {
        case .memory: DataRequest(self)
        case .file(let sink): DownloadRequest(self, sink)
        case .stream(let sink): StreamRequest(self, sink)
        }
    }
}
