package import Foundation

/// Learns which connections a transport has, for monitors of this library.
package protocol ConnectionObserver: AnyObject, Sendable {
    /// What learns of a connection that was opened to this URL's server, or that an observed request uses first.
    func follower(ofConnectionTo url: URL) -> any ConnectionFollower
}

/// Learns what becomes of one connection, in this order: it carries transfers, or none, and is closed.
package protocol ConnectionFollower: AnyObject, Sendable {
    /// The connection, which had no transfer, has one.
    func becameActive()
    /// The connection has no transfer any more, and is kept for others.
    func becameIdle()
    func closed()
}

/// Several observers of the same connections.
final class ConnectionObserverGroup: ConnectionObserver {
    private let observers: [any ConnectionObserver]

    init(_ observers: [any ConnectionObserver]) { self.observers = observers }

    func follower(ofConnectionTo url: URL) -> any ConnectionFollower {
        Followers(observers.map { $0.follower(ofConnectionTo: url) })
    }

    private final class Followers: ConnectionFollower {
        private let followers: [any ConnectionFollower]

        init(_ followers: [any ConnectionFollower]) { self.followers = followers }

        func becameActive() { for follower in followers { follower.becameActive() } }
        func becameIdle() { for follower in followers { follower.becameIdle() } }
        func closed() { for follower in followers { follower.closed() } }
    }
}
