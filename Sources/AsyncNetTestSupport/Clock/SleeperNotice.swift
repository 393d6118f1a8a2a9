import Foundation

/// What ``TestClock/sleepers(atLeast:)`` prints when it seems to wait in vain: the test would hang silently.
enum SleeperNotice {
    /// How long a wait lasts before the text is printed, in real time.
    static let delay = Duration.seconds(5)
    /// Measures the delay. Tests of this type replace it.
    @TaskLocal static var clock: any Clock<Duration> = ContinuousClock()
    /// Prints the text on the standard error. Tests of this type replace it.
    @TaskLocal static var write: @Sendable (String) -> Void = { text in
        FileHandle.standardError.write(Data("AsyncNet: \(text)\n".utf8))
    }

    /// Runs the wait; if it takes longer than the delay, prints how many tasks sleep.
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
        "TestClock.sleepers(atLeast: \(count)) has waited \(delay), and \(sleeperCount) task(s) sleep. All timeouts "
            + "and deadlines of a session are one sleeper; a request that has not started has none."
    }
}
