import AsyncNet
public import Foundation

/// A real server on loopback for tests, with responses and faults that the test sets. It speaks HTTP/1.1, and HTTP/2 if
/// a test wants it.
///
///     let server = try await MockServer.start()
///     await server.enqueue(.json(#"{"id":1}"#), .status(503), .fault(.resetMidBody(after: 10)))
///     ... session.request(server.url("/users/1")) ...
///     let seen = try await server.takeRequest()
///     await server.stop()
///
/// Enqueued responses are sent first, in order, for any path; then those of ``Routes``; then 404. The system chooses
/// the port, unless the test does. ``stop()`` ends every connection; so does deallocation.
public actor MockServer: MockRouter {
    /// The address that a server listens on.
    public enum Interface: Sendable {
        /// 127.0.0.1.
        case ipv4
        /// ::1.
        case ipv6
        /// 127.0.0.n, for several servers on one port. Linux has all of these, other systems only the first.
        case loopback(UInt8)

        /// The host as in a URL.
        var host: String {
            switch self {
            case .ipv4: "127.0.0.1"
            case .ipv6: "[::1]"
            case .loopback(let number): "127.0.0.\(number)"
            }
        }

        var isIPv6: Bool { if case .ipv6 = self { true } else { false } }
    }

    /// An error of the server, such as a request that did not arrive in time.
    public struct Failure: Error, CustomStringConvertible {
        /// What failed.
        public let description: String
    }

    /// The port that the server listens on.
    public nonisolated let port: Int
    private nonisolated let interface: Interface
    nonisolated let core: MockServerCore
    /// The recording that the server replays; `nil` if it replays none.
    nonisolated let replay: ReplaySource?

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - interface: The address; 127.0.0.1 by default.
    ///   - port: The port to listen on; 0, the default, for one that the system chooses.
    ///   - tls: The certificate of a server that speaks TLS. Needs OpenSSL 3 (libssl and libcrypto) on the machine,
    ///     which is loaded then.
    ///   - speaks: The versions of HTTP; HTTP/1.1 by default.
    ///   - http2: What the server allows over HTTP/2.
    ///   - isRefusing: Whether the server refuses every connection to its port.
    ///   - profile: The network's latency, bandwidth and losses, in real time and with bytes on the wire: heads and TLS
    ///     count too. All connections share the bandwidth. `nil`, the default, delays nothing.
    ///   - keptRequests: The least number of latest requests that are kept for ``takeRequest(within:)``.
    ///   - routes: The first routes; `on` adds more.
    /// - Throws: ``Failure`` if OpenSSL cannot be loaded, and errors of the system if the port cannot be had.
    public static func start(
        on interface: Interface = .ipv4, port: Int = 0, tls: TLS? = nil, speaks: Versions = .http1,
        http2: HTTP2 = HTTP2(), isRefusing: Bool = false, profile: NetworkProfile? = nil, keptRequests: Int = 10_000,
        routes: Routes = Routes()
    ) async throws -> MockServer {
        try MockServer(
            interface, port, tls, speaks, http2, isRefusing: isRefusing || profile?.isOffline == true,
            profile: profile, keptRequests: keptRequests, routes: routes)
    }

    init(
        _ interface: Interface, _ port: Int, _ tls: TLS?, _ speaks: Versions = .http1, _ http2: HTTP2 = HTTP2(),
        isRefusing: Bool = false, profile: NetworkProfile? = nil, keptRequests: Int = 10_000, routes: Routes,
        replay: ReplaySource? = nil
    ) throws {
        guard let number = UInt16(exactly: port) else {
            throw Failure(description: "The port \(port) is not between 0 and 65535")
        }
        core = try MockServerCore(
            interface, port: number, listens: !isRefusing, keptRequests: keptRequests, routes: routes,
            identity: try tls.map { try TLSIdentity($0, speaks) }, profile: profile, versions: speaks, http2: http2)
        self.port = core.port
        (self.interface, self.replay) = (interface, replay)
    }

    deinit { core.beginToStop() }

    /// The server's certificate in PEM, for clients that are to trust it; empty without TLS.
    ///
    ///     Session(transport: .sockets(tls: .init(trust: .anchors([server.anchor]))))
    public nonisolated var anchor: String { core.identity?.certificate ?? "" }

    /// The URL of a percent-encoded path, with an optional query.
    public nonisolated func url(_ path: String = "/") -> URL {
        let scheme = core.identity == nil ? "http" : "https"
        let text = "\(scheme)://\(interface.host):\(port)\(path.hasPrefix("/") ? "" : "/")\(path)"
        return (try? text.asURL()) ?? URL(filePath: path)
    }

    /// Adds responses to the end of the queue.
    public func enqueue(_ replies: MockResponse...) {
        core.enqueue(replies)
    }

    /// Responds to requests for a path, of any method, with the result of a closure: `on(nil, path)`.
    public func route(_ path: String, _ handler: @escaping Routes.Handler) { on(nil, path, handler) }

    public nonisolated func add(_ routes: Routes) { core.routes.add(routes) }

    /// Checks routes as ``MockRouter/verify()`` does. A response that was enqueued but not sent is a difference too,
    /// and so are the unmatched requests and unused exchanges of a recording.
    public nonisolated func verify() throws { try core.verify(replay?.differences ?? []) }

    /// Removes and returns the oldest request that has not been taken; waits for one if there is none.
    ///
    /// - Throws: ``Failure`` if no request arrives in time or the server stops, `CancellationError` if the task is
    ///   cancelled.
    public func takeRequest(within limit: Duration = .seconds(10)) async throws -> RecordedRequest {
        try await core.takeRequest(within: limit)
    }

    /// The requests received, in order, including those that `takeRequest` returned. At least the last `keptRequests`
    /// are there; older ones may have been removed.
    public nonisolated var requests: [RecordedRequest] { core.requests }

    /// The number of requests received, including those that `takeRequest` returned.
    public var requestCount: Int { core.requestCount }

    /// The number of connections accepted.
    public var connectionCount: Int { core.traffic.read { $0.connections } }

    /// The number of connections that are open now.
    public var openConnectionCount: Int { core.traffic.read { $0.openConnections } }

    /// Waits until at least this number of requests have been received, or the current task is cancelled.
    package nonisolated func requests(atLeast count: Int) async { await core.traffic.wait { $0.requests >= count } }

    /// Waits until at least this number of connections have been accepted, or the current task is cancelled.
    package nonisolated func connections(atLeast count: Int) async {
        await core.traffic.wait { $0.connections >= count }
    }

    /// Waits until every connection that was accepted is closed, or the current task is cancelled.
    package nonisolated func connectionsClosed() async { await core.traffic.wait { $0.openConnections == 0 } }

    /// Closes every connection and the port, and waits until that is done.
    public func stop() async {
        core.beginToStop()
        await core.stopped()
    }
}
