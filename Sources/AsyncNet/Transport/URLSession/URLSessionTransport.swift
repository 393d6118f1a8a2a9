public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Carries requests over Foundation's URLSession, on every platform.
///
/// Only data tasks with a delegate are used. URLSession's cookies, cache, redirects, credentials and timers are off:
/// AsyncNet's ``Session`` handles these.
///
/// - Important: On Linux, where URLSession is FoundationNetworking, a server can end the process: with a trailer after
///   a chunked body, by closing the connection inside the header block, with a `Content-Length` near 2^63, or with a
///   scheme-relative redirect to an invalid host. These traps are inside Foundation, and no caller can avoid them. Use
///   this transport for servers that you trust.
///
/// On Linux it also cannot pause a transfer, connect to an IPv6 literal, send a body with GET, or send a path with an
/// escaped `..` segment; the last three end in `.unsupportedByTransport`. FoundationNetworking has one thread for all its
/// sessions, and AsyncNet uses only its public functions. So there are more limitations on Linux:
///
/// - A server that sends faster than its bytes are processed holds up the process's other requests over URLSession. A
///   request that is cancelled, or exceeds its deadline, ends at once for its caller, but its connection and its place
///   among ``Configuration/maximumTransfers`` are free only when FoundationNetworking has ended the transfer.
/// - A redirect is followed only when its whole, valid body has arrived; the body is kept in memory, and its size is
///   not limited.
/// - If a kept connection ends before a byte of the response, libcurl sends the request again, also several times. Only
///   a request that has a body and is not idempotent is not repeated: it ends with `.connectionLost`, but a server may
///   see its head twice. A request without a body is repeated whatever its method, such as an empty POST. A reset of a
///   connection, and bytes of no response, are noticed when a request fails: it is not sent on another connection.
/// - While other transfers are cancelled, FoundationNetworking may miss that bytes have arrived: a transfer then waits until
///   its time-out.
/// - A caller's `Connection: close` is sent, and FoundationNetworking keeps the connection unless the server closes it.
/// - libcurl always decodes bodies: the bytes of a content coding cannot be delivered. An unknown content coding and a
///   broken one are errors; a body that is cut inside its compressed stream may be delivered as if it were whole.
/// - Sessions that have had TLS connections are kept, with these connections, to the end of the process.
public final class URLSessionTransport: Transport {
    /// The limits of a ``URLSessionTransport``.
    public struct Configuration: Sendable {
        /// The largest number of connections to one origin; URLSession counts all connections to one host together. By
        /// default 128 on Linux, and URLSession's own default, 6, elsewhere.
        public var maximumConnectionsPerOrigin: Int
        /// The largest number of transfers that URLSession carries at the same time. By default 128 on Linux and no
        /// limit elsewhere.
        ///
        /// Further transfers wait in order. FoundationNetworking becomes slower with each transfer.
        public var maximumTransfers: Int
        /// The folder for temporary files: request bodies that are not in memory, and response bodies that are read
        /// slower than they arrive. Such a file is removed with the request; on Linux it has no name.
        public var temporaryFolder: URL
        /// How many unread bytes of a response such a file may hold, on Linux, where URLSession cannot pause.
        /// 16 GiB by default.
        ///
        /// More bytes end the request with `.readerTooSlow`.
        public var maximumBufferedBytes: Int64
        /// Which servers are trusted. On Linux URLSession supports the default only; with other values each request ends
        /// with `.unsupportedByTransport`, as a client identity's does on other platforms.
        public var tls: TLSConfiguration
        /// The settings that replace ``tls`` for some hosts, by host, in the form of
        /// ``SocketTransport/Configuration/tlsForHosts``. Empty by default.
        public var tlsForHosts: [String: TLSConfiguration]
        /// The settings of the URLSession: proxies, `protocolClasses`, additional headers and the like; `.ephemeral` by
        /// default.
        ///
        /// A copy is used, in which cookies, cache, credentials and timeouts are off, since AsyncNet's session has
        /// these, and in which ``maximumConnectionsPerOrigin`` is set. A background configuration ends each request with
        /// `.invalidConfiguration`: its transfers outlive the process, and no task could await them.
        public var urlSession: URLSessionConfiguration?

        /// A configuration; `nil` means the property's default. Numbers of connections and transfers below 1 are raised
        /// to 1, a negative `maximumBufferedBytes` to 0.
        public init(
            maximumConnectionsPerOrigin: Int? = nil, maximumTransfers: Int? = nil,
            temporaryFolder: URL = FileManager.default.temporaryDirectory,
            maximumBufferedBytes: Int64 = 16 << 30, tls: TLSConfiguration = TLSConfiguration(),
            urlSession: URLSessionConfiguration? = nil, tlsForHosts: [String: TLSConfiguration] = [:]
        ) {
            self.urlSession = urlSession
            (self.tls, self.tlsForHosts) = (tls, tlsForHosts)
            self.temporaryFolder = temporaryFolder
            self.maximumBufferedBytes = max(0, maximumBufferedBytes)
            self.maximumConnectionsPerOrigin = max(
                1, maximumConnectionsPerOrigin ?? URLSessionLimits.connectionsPerOrigin)
            self.maximumTransfers = max(1, maximumTransfers ?? URLSessionLimits.transfers)
        }
    }

    private let configuration: Configuration
    /// The caller's URLSession; `nil` if this transport makes its own, as it always does on Linux.
    private let given: URLSession?
    private let trust: URLSessionTrust
    private let permits: RequestQueue
    private let lifecycle = Locked(Lifecycle())

    /// A URLSession exists from the first request until the last request has ended after `shutdown()`. A task is made
    /// only while `transfers` counts it, and the sessions are invalidated only while `transfers` is 0.
    private struct Lifecycle {
        /// The URLSessions, by the numbers of their TLS settings.
        var sessions: [Int: URLSession] = [:]
        var transfers = 0
        var hasUsedTLS = false
        var isShutDown = false
        var drained: [CheckedContinuation<Void, Never>] = []
    }

    /// A transport with its own connections.
    public convenience init(configuration: Configuration = Configuration()) {
        self.init(configuration, session: nil)
    }

    /// A transport over an existing URLSession, with its cookies, cache, credentials and timeouts. ``shutdown()`` does
    /// not invalidate the URLSession.
    ///
    /// On Linux, URLSession delivers responses to its own delegate only; there a session with the same configuration is
    /// made, as by ``Configuration/urlSession``.
    public convenience init(session: URLSession) {
        #if canImport(FoundationNetworking)
            self.init(Configuration(urlSession: session.configuration), session: nil)
        #else
            self.init(Configuration(), session: session)
        #endif
    }

    private init(_ configuration: Configuration, session: URLSession?) {
        var own = configuration
        // The caller may change the object later.
        own.urlSession = configuration.urlSession?.copy() as? URLSessionConfiguration
        (self.configuration, given) = (own, session)
        trust = URLSessionTrust(configuration.tls, configuration.tlsForHosts)
        permits = RequestQueue(ConcurrencyLimit(perSession: configuration.maximumTransfers))
        if unverifiedHosts != nil { TLSConfiguration.warnOfUnverifiedHosts() }
    }

    deinit { retire() }

    private func retire() {
        let (sessions, hasUsedTLS) = lifecycle.withLock { lifecycle in
            defer { lifecycle.sessions = [:] }
            return (lifecycle.sessions, lifecycle.hasUsedTLS)
        }
        for session in sessions.values { session.retire(hasUsedTLS: hasUsedTLS) }
    }

    /// The servers whose certificates are not verified; `nil` if all are verified, or the settings allow no connection.
    private var unverifiedHosts: String? {
        trust.isEnforced ? TLSConfiguration.unverifiedHosts(configuration.tls, configuration.tlsForHosts) : nil
    }

    /// `URLSession`, with the implementation on Linux, and whether certificates are not verified.
    public var transportDescription: String {
        [URLSessionLimits.description, unverifiedHosts].compactMap(\.self).joined(separator: ", ")
    }

    /// Sends the request and returns once the response's head has arrived. URLSession decodes the body's content coding.
    ///
    /// - Throws: ``AsyncNetError``, such as `.cannotConnect` or `.connectionLost`.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try configuration.refuseBackground()
        let choice = try trust.choice(for: request.head.urlText)
        try URLSessionRequest.refuseWhatIsUnsupported(request)
        let body = try await URLSessionBody(request, folder: configuration.temporaryFolder)
        request.onEvent?(.queued)
        let permit = try await permits.acquire(origin: "")
        request.onEvent?(.started)
        let exchange = try start(request, body, choice, permit)
        let (head, responseBody) = try await exchange.pipe.response()
        return TransportResponse(head: head, body: responseBody)
    }

    /// Depends on the TLS settings for the request's host. If the server is not verified, as with `http`, the trust
    /// also depends on the proxies of ``Configuration/urlSession``. Over the caller's own URLSession, whose delegate
    /// decides, the server counts as not verified.
    public func trust(for request: HTTPRequestHead) -> ResponseTrust {
        guard given == nil else { return .unverified(route: "URLSession of the caller") }
        return trust.trust(for: request) {
            let proxies = configuration.urlSession?.connectionProxyDictionary ?? [:]
            return proxies.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ")
        }
    }

    /// Keeps the permit until URLSession has ended the task.
    private func start(
        _ request: TransportRequest, _ body: URLSessionBody, _ choice: URLSessionTrust.Choice,
        _ permit: RequestQueue.Permit
    ) throws(AsyncNetError) -> URLSessionExchange {
        let session = try enter(choice, isTLS: request.head.urlText.isTLS)
        let exchange = URLSessionExchange(
            request, body, configuration, choice.tls,
            onEnd: { [self] in
                permit.release()
                leave()
            })
        exchange.start(on: session)
        return exchange
    }

    /// Refuses new requests and waits for running transfers and their connections to end.
    public func shutdown() async {
        await withCheckedContinuation { continuation in
            let isDrained = lifecycle.withLock { lifecycle in
                lifecycle.isShutDown = true
                if lifecycle.transfers > 0 { lifecycle.drained.append(continuation) }
                return lifecycle.transfers == 0
            }
            if isDrained { continuation.resume() }
        }
        retire()
        await URLSession.waitForRetired()
    }

    private func enter(_ choice: URLSessionTrust.Choice, isTLS: Bool) throws(AsyncNetError) -> URLSession {
        let session = lifecycle.withLock { lifecycle -> URLSession? in
            guard !lifecycle.isShutDown else { return nil }
            lifecycle.transfers += 1
            if isTLS { lifecycle.hasUsedTLS = true }
            if let given { return given }
            let session =
                lifecycle.sessions[choice.number] ?? URLSession.forTransport(configuration, choice.tls)
            lifecycle.sessions[choice.number] = session
            return session
        }
        guard let session else { throw AsyncNetError.transportIsShutDown }
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
    /// Foundation's URLSession, on every platform. Each use makes a transport with its own connections.
    public static var urlSession: URLSessionTransport { URLSessionTransport() }

    /// Foundation's URLSession with these settings, such as proxies or `protocolClasses`; see
    /// ``URLSessionTransport/Configuration/urlSession``.
    public static func urlSession(configuration: URLSessionConfiguration) -> URLSessionTransport {
        URLSessionTransport(configuration: .init(urlSession: configuration))
    }

    /// An existing URLSession, see ``URLSessionTransport/init(session:)``.
    public static func urlSession(_ session: URLSession) -> URLSessionTransport {
        URLSessionTransport(session: session)
    }

    /// Foundation's URLSession with all settings. Each call makes a transport with its own connections.
    public static func urlSession(_ configuration: URLSessionTransport.Configuration) -> URLSessionTransport {
        URLSessionTransport(configuration: configuration)
    }
}

extension URLSessionTransport: CustomReflectable {
    /// `dump` shows the configuration, without passwords.
    public var customMirror: Mirror { Mirror(self, children: ["configuration": configuration]) }
}

extension URLSessionTransport.Configuration: CustomReflectable {
    /// What `dump` shows: limits and settings without secrets. A `URLSessionConfiguration`, which may contain some, is not
    /// shown.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "maximumConnectionsPerOrigin": maximumConnectionsPerOrigin, "maximumTransfers": maximumTransfers,
            "temporaryFolder": temporaryFolder, "maximumBufferedBytes": maximumBufferedBytes, "tls": tls,
            "tlsForHosts": tlsForHosts, "urlSession": urlSession == nil ? "ephemeral" : "given",
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}
