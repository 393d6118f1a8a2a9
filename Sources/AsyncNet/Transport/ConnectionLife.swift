/// A connection from its first observed transfer to its end. Used only by the connection's loop.
final class ConnectionLife {
    private let followers: [any ConnectionFollower]
    private var transfers = 0
    private var isClosed = false

    init(_ followers: [any ConnectionFollower]) { self.followers = followers }

    /// A transport that shuts down releases its connections.
    deinit { close() }

    func begin() {
        transfers += 1
        guard transfers == 1, !isClosed else { return }
        for follower in followers { follower.becameActive() }
    }

    func end() {
        transfers -= 1
        guard transfers == 0, !isClosed else { return }
        for follower in followers { follower.becameIdle() }
    }

    /// Reports the end of the connection, once. A transfer may still run on the connection.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        for follower in followers { follower.closed() }
    }
}
