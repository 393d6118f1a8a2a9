/// A connection from its first observed transfer to its end. Used by its loop only.
final class ConnectionLife {
    private let follower: any ConnectionFollower
    private var transfers = 0
    private var isClosed = false

    init(_ follower: any ConnectionFollower) { self.follower = follower }

    /// A transport that shuts down releases its connections.
    deinit { close() }

    func begin() {
        transfers += 1
        if transfers == 1, !isClosed { follower.becameActive() }
    }

    func end() {
        transfers -= 1
        if transfers == 0, !isClosed { follower.becameIdle() }
    }

    /// Called before or after the end of the last transfer.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        follower.closed()
    }
}
