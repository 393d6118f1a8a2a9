package import Foundation

/// Learns which connections a transport has, for monitors of this library.
package protocol ConnectionObserver: AnyObject, Sendable {
    /// What learns of a connection that was opened to this URL's server, or that an observed request uses first.
    func follower(ofConnectionTo url: URL) -> any ConnectionFollower
}

/// Learns what becomes of one connection, in this order: it carries transfers, or none, and is closed.
package protocol ConnectionFollower: AnyObject, Sendable {
    func becameActive()
    func becameIdle()
    func closed()
}
