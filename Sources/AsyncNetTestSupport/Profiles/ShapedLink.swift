import AsyncNet

/// The two directions of a network whose bandwidth all transfers of a transport, or all connections of a server, share.
final class ShapedLink: Sendable {
    enum Direction { case upload, download }

    private let upload: Locked<LinkSchedule>
    private let download: Locked<LinkSchedule>
    private let now: @Sendable () -> Duration

    /// - Parameter clock: The clock that the senders sleep on.
    init(_ profile: NetworkProfile, _ clock: some Clock<Duration>) {
        upload = Locked(LinkSchedule(bytesPerSecond: profile.upload))
        download = Locked(LinkSchedule(bytesPerSecond: profile.download))
        let start = clock.now
        now = { start.duration(to: clock.now) }
    }

    /// How many bytes to send at once.
    func quantum(_ direction: Direction) -> Int { withSchedule(direction) { $0.quantum } }

    /// Gives bytes to the link.
    ///
    /// - Returns: The time from now until the last of them has passed.
    func pass(_ count: Int, _ direction: Direction) -> Duration {
        withSchedule(direction) { schedule in
            let now = now()
            return schedule.pass(count, now: now) - now
        }
    }

    private func withSchedule<Result: Sendable>(
        _ direction: Direction, _ body: (inout LinkSchedule) -> Result
    ) -> Result {
        switch direction {
        case .upload: upload.withLock { body(&$0) }
        case .download: download.withLock { body(&$0) }
        }
    }
}
