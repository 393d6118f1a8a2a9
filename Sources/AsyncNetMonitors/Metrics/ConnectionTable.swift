import AsyncNet
import Foundation
import Synchronization

/// The counts of the connections to a server.
final class ConnectionCounts: Sendable {
    private struct State {
        var open: [ObjectIdentifier: CountedConnection] = [:]
        var durations = Distribution(bounds: MetricBuckets.connectionDurations)
    }

    private let state = Locked(State())

    func connection() -> CountedConnection {
        let connection = CountedConnection(self)
        state.withLock { $0.open[ObjectIdentifier(connection)] = connection }
        return connection
    }

    fileprivate func end(_ connection: CountedConnection, after duration: Duration) {
        state.withLock { state in
            guard state.open.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
            state.durations.add(duration)
        }
    }

    /// How many connections carry transfers, and how many carry none.
    var open: (active: Int, idle: Int) {
        state.withLock { state in
            let active = state.open.values.count { $0.isActive }
            return (active, state.open.count - active)
        }
    }

    var durations: Distribution { state.withLock { $0.durations } }
}

/// The counts of the first `limit` servers that connections were made to, and of all other servers together.
struct ConnectionTable: Sendable {
    private struct Server: Hashable, Sendable {
        let scheme: String
        let address: String
        let port: Int

        init(_ url: URL) {
            scheme = (url.scheme ?? "").lowercased()
            address = SemanticConventions.address(of: url)
            port = SemanticConventions.port(of: url)
        }

        var labels: [String: String] {
            ["server.address": address, "server.port": "\(port)", "url.scheme": scheme]
        }
    }

    private let limit: Int
    private var servers: [Server: ConnectionCounts] = [:]
    private var overflow: ConnectionCounts?

    /// - Parameter limit: How many servers are in the table.
    init(limit: Int) { self.limit = limit }

    /// The counts of a URL's server.
    mutating func counts(of url: URL) -> ConnectionCounts {
        let server = Server(url)
        if let counts = servers[server] { return counts }
        let counts = servers.count < limit ? ConnectionCounts() : overflow ?? ConnectionCounts()
        if servers.count < limit { servers[server] = counts } else { overflow = counts }
        return counts
    }

    /// All counts with their labels.
    var points: [(labels: [String: String], counts: ConnectionCounts)] {
        servers.map { ($0.labels, $1) } + (overflow.map { [(MetricLabels.overflow, $0)] } ?? [])
    }
}

/// Counts a connection. Its transfers change only values of this object, so that connections do not wait for each
/// other.
final class CountedConnection: ConnectionFollower {
    private let counts: ConnectionCounts
    private let start = ContinuousClock.now
    private let activity = Atomic(false)

    fileprivate init(_ counts: ConnectionCounts) { self.counts = counts }

    fileprivate var isActive: Bool { activity.load(ordering: .relaxed) }

    package func becameActive() { activity.store(true, ordering: .relaxed) }
    package func becameIdle() { activity.store(false, ordering: .relaxed) }
    package func closed() { counts.end(self, after: start.duration(to: .now)) }
}
