import AsyncNet
public import Foundation

/// A real HTTP/1.1 server on loopback, for tests: it says what it is told to, and can misbehave.
///
///     let server = try await MockServer.start()
///     await server.enqueue(.json(#"{"id":1}"#), .status(503), .fault(.resetMidBody(after: 10)))
///     ... session.request(server.url("/users/1")) ...
///     let seen = try await server.takeRequest()
///     await server.stop()
///
/// Replies that were enqueued are used first, in order, whatever the path; then routes; then 404. It listens on a port
/// that the system picks. ``stop()`` ends every connection; a server that is dropped stops as well.
public actor MockServer {
    /// Where the server listens.
    public enum Interface: Sendable { case ipv4, ipv6 }

    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    public nonisolated let port: Int
    private nonisolated let interface: Interface
    private nonisolated let core: MockServerCore

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - interface: 127.0.0.1 or ::1.
    ///   - isRefusing: Holds the port but refuses every connection.
    ///   - keptRequests: How many requests are kept at least for ``takeRequest(within:)``; of more the oldest are
    ///     forgotten.
    public static func start(
        on interface: Interface = .ipv4, isRefusing: Bool = false, keptRequests: Int = 10_000
    ) async throws -> MockServer {
        try MockServer(interface, isRefusing: isRefusing, keptRequests: keptRequests)
    }

    private init(_ interface: Interface, isRefusing: Bool, keptRequests: Int) throws {
        core = try MockServerCore(ipv6: interface == .ipv6, listens: !isRefusing, keptRequests: keptRequests)
        port = core.port
        self.interface = interface
    }

    deinit { core.beginToStop() }

    /// The URL of a path, given with its query if there is one, percent-encoded.
    public nonisolated func url(_ path: String = "/") -> URL {
        let host = interface == .ipv6 ? "[::1]" : "127.0.0.1"
        let text = "http://\(host):\(port)\(path.hasPrefix("/") ? "" : "/")\(path)"
        return (try? text.asURL()) ?? URL(filePath: path)
    }

    /// Adds replies to the end of the queue.
    public func enqueue(_ replies: MockResponse...) {
        core.enqueue(replies)
    }

    /// Answers every request to a path from a closure, which may wait; `*` at the end of the path matches any rest.
    ///
    /// Of several routes that match the last one counts. What the closure throws is answered with 500.
    public func route(_ path: String, _ handler: @escaping @Sendable (RecordedRequest) async throws -> MockResponse) {
        core.route(path, handler)
    }

    /// The oldest request that nobody has taken yet; waits for one.
    ///
    /// - Throws: ``Failure`` if none comes in time or the server stops, `CancellationError` if the task is cancelled.
    public func takeRequest(within limit: Duration = .seconds(10)) async throws -> RecordedRequest {
        try await core.takeRequest(within: limit)
    }

    /// Requests received so far, those that were taken included.
    public var requestCount: Int { core.requestCount }

    /// Connections accepted so far.
    public var connectionCount: Int { core.connectionCount }

    /// Connections that are open now.
    public var openConnectionCount: Int { core.openConnectionCount }

    /// Closes every connection and the port, and returns when that is done.
    public func stop() async {
        core.beginToStop()
        await core.stopped()
    }
}
