import AsyncNet
import Testing

@testable import AsyncNetTestSupport

/// A test that waits for too many sleepers would hang without a word.
@Suite("Waits for sleepers", .timeLimit(.minutes(5)))
struct SleeperNoticeTests {
    private let clock = TestClock()
    /// In place of real time.
    private let watch = TestClock()

    /// Waits for a sleeper, which comes after the work; returns what the wait has said. The work gets that as it is said.
    private func waiting(_ work: (AsyncStream<String>) async -> Void) async -> [String] {
        let (texts, writer) = AsyncStream.makeStream(of: String.self)
        let said = Locked<[String]>([])
        let write: @Sendable (String) -> Void = { text in
            said.withLock { $0.append(text) }
            writer.yield(text)
        }
        let wait = SleeperNotice.$clock.withValue(watch) {
            SleeperNotice.$write.withValue(write) { Task { await clock.sleepers(atLeast: 1) } }
        }
        await watch.sleepers(atLeast: 1)
        await work(texts)
        let sleeper = Task { try? await clock.sleep(for: .seconds(1)) }
        await wait.value
        sleeper.cancel()
        await sleeper.value
        return said.withLock { $0 }
    }

    @Test("sleepers(atLeast:) that has waited five seconds prints how many sleepers it awaits and how many there are")
    func vain() async {
        let said = await waiting { texts in
            watch.advance(by: SleeperNotice.delay)
            for await _ in texts { break }
        }
        #expect(said.count == 1)
        #expect(said.first?.contains("sleepers(atLeast: 1) has waited 5.0 seconds, and 0 task(s) sleep") == true)
    }

    @Test("sleepers(atLeast:) that waits less than five seconds prints nothing and leaves no timer behind")
    func short() async {
        #expect(await waiting { _ in watch.advance(by: SleeperNotice.delay - .seconds(1)) }.isEmpty)
        #expect(watch.sleeperCount == 0)
    }
}
