public import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Carries requests over Foundation's URLSession, on every platform.
///
/// Of URLSession only data tasks with a delegate are used; its cookies, cache, redirects, credentials and timers are
/// off, since all of these happen above the transport.
///
/// - Important: On Linux, where URLSession is FoundationNetworking, a server can end the process: with a trailer after
///   a chunked body, by closing the connection inside the header block, with a `Content-Length` near 2^63, or with a
///   scheme-relative redirect to an odd host. Those traps are inside Foundation and no caller can avoid them. Talk over
///   this transport to servers you trust. It also cannot pause a transfer there, connect to an IPv6 literal, or send a
///   body with GET; the last two end in `.unsupportedByTransport`.
public final class URLSessionTransport: Transport {
    public struct Configuration: Sendable {
        /// Connections to one host. 128 on Linux, where HTTP/1.1 between services is the rule; elsewhere the system's
        /// own 6.
        public var maximumConnectionsPerHost: Int
        /// Transfers handed to URLSession at a time; more wait their turn in order. FoundationNetworking slows down
        /// with every further one. 128 on Linux, elsewhere unlimited.
        public var maximumTransfers: Int
        /// Where bodies are written that have to be waited for, and responses that are read slowly; such a file has no
        /// name and goes with the request.
        public var temporaryFolder: URL
        /// How many bytes of a streamed response may wait in such a file, on Linux, where URLSession cannot pause; more
        /// end the request with `.readerTooSlow`. 16 GiB by default.
        public var maximumBufferedBytes: Int64
        /// Only the default can be enforced; over anything else every request ends with `.unsupportedByTransport`.
        public var tls: TLSConfiguration

        public init(
            maximumConnectionsPerHost: Int? = nil, maximumTransfers: Int? = nil,
            temporaryFolder: URL = FileManager.default.temporaryDirectory,
            maximumBufferedBytes: Int64 = 16 << 30, tls: TLSConfiguration = TLSConfiguration()
        ) {
            self.tls = tls
            self.temporaryFolder = temporaryFolder
            self.maximumBufferedBytes = max(0, maximumBufferedBytes)
            self.maximumConnectionsPerHost = max(1, maximumConnectionsPerHost ?? URLSessionLimits.connectionsPerHost)
            self.maximumTransfers = max(1, maximumTransfers ?? URLSessionLimits.transfers)
        }
    }

    private var spill: SpillFile.Settings? {
        URLSessionLimits.canPause
            ? nil : SpillFile.Settings(folder: configuration.temporaryFolder, limit: configuration.maximumBufferedBytes)
    }

    private let configuration: Configuration
    private let slots: TransferSlots
    private let lifecycle = Locked(Lifecycle())

    /// The URLSession exists from the first request until the last one after `shutdown()`; a task is only ever made
    /// while `transfers` counts it, and the session is invalidated only while that is 0.
    private struct Lifecycle {
        var session: URLSession?
        var transfers = 0
        var isShutDown = false
        var drained: [CheckedContinuation<Void, Never>] = []
    }

    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        slots = TransferSlots(configuration.maximumTransfers)
    }

    deinit {
        lifecycle.withLock { $0.session }?.retire()
    }

    public var transportDescription: String { URLSessionLimits.description }

    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try URLSessionRequest.refuseWhatIsUnsupported(request, configuration.tls)
        let body = try await URLSessionBody(request, folder: configuration.temporaryFolder)
        request.onEvent?(.queued)
        try await slots.acquire()
        request.onEvent?(.started)
        let pipe = try start(request, body)
        let answer = TransportBody(pipe)
        return TransportResponse(head: try await pipe.head(), body: answer)
    }

    /// Takes over the slot: it is free again when URLSession is done with the task.
    private func start(_ request: TransportRequest, _ body: URLSessionBody) throws(AsyncNetError) -> TransferPipe {
        let session: URLSession
        do {
            session = try enter()
        } catch {
            slots.release()
            throw error
        }
        let exchange = URLSessionExchange(
            request, body, spill, makeSession: { [configuration] in .forTransport(configuration) },
            onEnd: { [self] in
                slots.release()
                leave()
            })
        exchange.start(on: session)
        return exchange.pipe
    }

    public func shutdown() async {
        await withCheckedContinuation { continuation in
            let isDrained = lifecycle.withLock { lifecycle in
                lifecycle.isShutDown = true
                if lifecycle.transfers > 0 { lifecycle.drained.append(continuation) }
                return lifecycle.transfers == 0
            }
            if isDrained { continuation.resume() }
        }
        lifecycle.withLock { lifecycle in
            defer { lifecycle.session = nil }
            return lifecycle.session
        }?.retire()
        await URLSession.waitForRetired()
    }

    private func enter() throws(AsyncNetError) -> URLSession {
        let session = lifecycle.withLock { lifecycle -> URLSession? in
            guard !lifecycle.isShutDown else { return nil }
            lifecycle.transfers += 1
            let session = lifecycle.session ?? URLSession.forTransport(configuration)
            lifecycle.session = session
            return session
        }
        guard let session else { throw AsyncNetError(.sessionFinished, "The transport is shut down") }
        return session
    }

    private func leave() {
        let drained = lifecycle.withLock { lifecycle -> [CheckedContinuation<Void, Never>] in
            lifecycle.transfers -= 1
            guard lifecycle.transfers == 0 else { return [] }
            defer { lifecycle.drained = [] }
            return lifecycle.drained
        }
        for continuation in drained { continuation.resume() }
    }
}

extension Transport where Self == URLSessionTransport {
    /// Foundation's URLSession, on every platform. Each use makes a transport, and connections, of its own.
    public static var urlSession: URLSessionTransport { URLSessionTransport() }

    /// Foundation's URLSession, which enforces nothing but the default of `tls`: see
    /// ``URLSessionTransport/Configuration/tls``.
    public static func urlSession(tls: TLSConfiguration) -> URLSessionTransport {
        URLSessionTransport(configuration: .init(tls: tls))
    }

    /// Foundation's URLSession with limits of one's own.
    public static func urlSession(_ configuration: URLSessionTransport.Configuration) -> URLSessionTransport {
        URLSessionTransport(configuration: configuration)
    }
}

extension URLSessionTransport: CustomReflectable {
    /// What `dump` shows: the configuration, without passwords.
    public var customMirror: Mirror { Mirror(self, children: ["configuration": configuration]) }
}
