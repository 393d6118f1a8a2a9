package import Foundation

/// Learns which connections a transport has, for monitors of this library.
package protocol ConnectionObserver: AnyObject, Sendable {
    /// The follower of a connection that was opened to this URL's server, or that an observed request uses first.
    func follower(ofConnectionTo url: URL) -> any ConnectionFollower
}

/// Learns what happens to one connection: when it begins and ends to carry transfers, and then its close.
package protocol ConnectionFollower: AnyObject, Sendable {
    func becameActive()
    func becameIdle()
    func closed()
}
