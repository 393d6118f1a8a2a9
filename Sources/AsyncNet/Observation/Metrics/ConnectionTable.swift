import Foundation
import Synchronization

/// What is counted of the connections to a server. Connections change it without a lock that requests wait for.
final class ConnectionCounts: Sendable {
    let active = Atomic(0)
    let idle = Atomic(0)
    let durations = Locked(Distribution(bounds: MetricBuckets.connectionDurations))
}

/// The first so many servers that connections were made to.
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

/// Counts a connection.
final class CountedConnection: ConnectionFollower {
    private let counts: ConnectionCounts
    private let start = ContinuousClock.now

    init(_ counts: ConnectionCounts) {
        self.counts = counts
        counts.idle.add(1, ordering: .relaxed)
    }

    func becameActive() { move(from: counts.idle, to: counts.active) }
    func becameIdle() { move(from: counts.active, to: counts.idle) }

    private func move(from former: borrowing Atomic<Int>, to state: borrowing Atomic<Int>) {
        former.subtract(1, ordering: .relaxed)
        state.add(1, ordering: .relaxed)
    }

    func closed(isActive: Bool) {
        if isActive {
            counts.active.subtract(1, ordering: .relaxed)
        } else {
            counts.idle.subtract(1, ordering: .relaxed)
        }
        let duration = start.duration(to: .now)
        counts.durations.withLock { $0.add(duration) }
    }
}
