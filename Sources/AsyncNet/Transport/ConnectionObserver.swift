package import Foundation

/// Learns which connections a transport has, for monitors of this library.
package protocol ConnectionObserver: AnyObject, Sendable {
    /// Makes the follower of a connection when the first observed request uses it, with that request's URL.
    func follower(ofConnectionTo url: URL) -> any ConnectionFollower
}

/// Learns what happens to one connection: when it begins and ends to carry transfers, and then its close.
package protocol ConnectionFollower: AnyObject, Sendable {
    func becameActive()
    func becameIdle()
    func closed()
}
