import AsyncNet
public import Foundation

/// A TCP proxy on loopback between a client and a real server, with faults that a test adds, changes and removes.
///
///     let proxy = try await FaultProxy.start(to: server.url())
///     let latency = proxy.add(.latency(.milliseconds(200), jitter: .milliseconds(50)), .downstream)
///     proxy.add(.resetPeer(), .downstream, share: 0.1)      // every tenth connection or so
///     ... session.request(proxy.url("/users/1")) ...
///     proxy.remove(latency)
///     await proxy.stop()
///
/// The proxy passes bytes as they are, so that TLS goes through it; the server's certificate must be valid for
/// 127.0.0.1 then. It reads no faster than the other side does, and holds at most 256 KiB each way. A connection that
/// the server refuses is reset.
///
/// A change is in effect for all bytes that are sent after the call, and for those that wait in the proxy. Which
/// connections a fault with a share below 1 affects depends only on the proxy's seed, on how many faults were added
/// before it, and on the number of the connection. ``stop()`` ends every connection; so does deallocation.
public final class FaultProxy: Sendable {
    /// The proxy cannot be started.
    public struct Failure: Error, CustomStringConvertible {
        /// What failed.
        public let description: String
    }

    private let core: ProxyCore
    private let interface: MockServer.Interface

    /// Starts a proxy.
    ///
    /// - Parameters:
    ///   - server: A URL of the server, whose scheme, host and port are used. Without a port the scheme must be `http`,
    ///     `https`, `ws` or `wss`.
    ///   - interface: The address that the proxy listens on; 127.0.0.1 by default.
    ///   - seed: The seed of the random numbers for shares, jitter and slices.
    /// - Throws: ``Failure`` if the server's host has no address, and errors of the system if no port can be had.
    public static func start(
        to server: URL, on interface: MockServer.Interface = .ipv4, seed: UInt64 = 0
    ) async throws -> FaultProxy {
        // The resolver blocks its thread.
        let target = try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try ProxyTarget(server) }) }
        }
        return FaultProxy(try ProxyCore(target, on: interface, seed: seed), interface)
    }

    private init(_ core: ProxyCore, _ interface: MockServer.Interface) {
        (self.core, self.interface) = (core, interface)
    }

    deinit { core.beginToStop() }

    /// The port that the proxy listens on, which the system has chosen.
    public var port: Int { core.port }

    /// The URL of a percent-encoded path, with an optional query, through the proxy.
    public func url(_ path: String = "/") -> URL {
        let text = "\(core.target.scheme)://\(interface.host):\(port)\(path.hasPrefix("/") ? "" : "/")\(path)"
        return URL(string: text) ?? URL(filePath: path)
    }

    /// Adds a fault, for connections that exist and for later ones.
    ///
    /// - Parameters:
    ///   - fault: What happens.
    ///   - direction: The direction of the bytes that the fault affects.
    ///   - share: The share of connections, from 0 to 1, that have the fault: toxiproxy's toxicity.
    /// - Returns: Identifies the fault for ``change(_:to:share:)`` and ``remove(_:)``.
    @discardableResult
    public func add(_ fault: Fault, _ direction: Direction = .downstream, share: Double = 1) -> FaultID {
        core.change { $0.add(fault, direction, share: share) }
    }

    /// Changes a fault; nothing happens if it has been removed.
    ///
    /// The time of ``Fault/timeout(after:)`` begins anew, the count of ``Fault/limitData(bytes:)`` goes on.
    ///
    /// - Parameters:
    ///   - id: What ``add(_:_:share:)`` returned.
    ///   - fault: What happens from now on.
    ///   - share: The new share; `nil`, the default, keeps it.
    public func change(_ id: FaultID, to fault: Fault, share: Double? = nil) {
        core.change { $0.change(id, to: fault, share: share) }
    }

    /// Removes a fault. Bytes that it holds back pass; connections of which it has dropped bytes are reset.
    public func remove(_ id: FaultID) { core.change { $0.remove(id) } }

    /// Removes all faults, as ``remove(_:)`` does.
    public func removeAll() { core.change { $0.removeAll() } }

    /// The number of connections accepted.
    public var connectionCount: Int { core.connectionCount }

    /// The number of connections that are open now. A connection that a fault has closed counts until its client and
    /// its server have closed it, for at most a second.
    public var openConnectionCount: Int { core.openConnectionCount }

    /// The number of bytes that ``Fault/halfOpen`` and ``Fault/timeout(after:)`` have dropped.
    public var droppedBytes: Int { core.dropped.read { $0 } }

    /// Waits until faults have dropped at least this number of bytes in all, or the current task is cancelled: a gate
    /// for a test that must know that a request or a response was lost.
    public func droppedBytes(atLeast count: Int) async { await core.dropped.wait { $0 >= count } }

    /// Closes every connection and the port, and waits until that is done.
    public func stop() async {
        core.beginToStop()
        await core.stopped()
    }
}
