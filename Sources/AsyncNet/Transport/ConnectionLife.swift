/// Tells the followers of a connection when it becomes active and idle, and when it ends. Used only by its loop.
final class ConnectionLife {
    private let followers: [any ConnectionFollower]
    private var transfers = 0
    private var isClosed = false

    init(_ followers: [any ConnectionFollower]) { self.followers = followers }

    /// Reports the end of a connection that a transport's shutdown only releases.
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
