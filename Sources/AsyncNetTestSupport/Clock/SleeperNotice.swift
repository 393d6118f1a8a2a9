import Foundation

/// What ``TestClock/sleepers(atLeast:)`` says when it seems to wait in vain: the test would hang without a word.
enum SleeperNotice {
    /// How long the wait lasts before, in real time.
    static let delay = Duration.seconds(5)
    /// Measures the delay. A test may take its place.
    @TaskLocal static var clock: any Clock<Duration> = ContinuousClock()
    /// Where the text goes: to the standard error. A test may take it.
    @TaskLocal static var write: @Sendable (String) -> Void = { text in
        FileHandle.standardError.write(Data("AsyncNet: \(text)\n".utf8))
    }

    /// Runs the wait; if it takes longer than the delay, writes how many tasks sleep.
    static func during(
        _ wait: () async -> Void, forAtLeast count: Int, sleeperCount: @escaping @Sendable () -> Int
    ) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                guard (try? await clock.sleep(for: delay)) != nil else { return }
                write(text(count, sleeperCount()))
            }
            await wait()
            group.cancelAll()
        }
    }

    private static func text(_ count: Int, _ sleeperCount: Int) -> String {
        "TestClock.sleepers(atLeast: \(count)) has waited \(delay), and \(sleeperCount) sleep. All timeouts and "
            + "deadlines of a session are one sleeper, however many requests it has; a request that has not started has none."
    }
}
