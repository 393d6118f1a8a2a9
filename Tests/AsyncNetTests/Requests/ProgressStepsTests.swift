import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// A loop over the progress of a request that nobody starts would wait for ever without a word.
@Suite("Loops over progress", .timeLimit(.minutes(5)))
struct ProgressStepsTests {
    private let clock = TestClock()
    private let stub = StubTransport { _ in .fault(.stall) }

    private func session() -> Session {
        Session(transport: stub, configuration: .init(timeout: .seconds(60), clock: clock))
    }

    /// Runs the work while a task loops over the progress.
    ///
    /// - Returns: The notices.
    private func looping(
        over steps: some AsyncSequence<TransferProgress, Never> & Sendable, _ work: () async throws -> Void
    ) async rethrows -> [String] {
        let texts = Locked<[String]>([])
        let write: @Sendable (String) -> Void = { text in texts.withLock { $0.append(text) } }
        let loop = ProgressNotice.$write.withValue(write) { clock.task { for await _ in steps {} } }
        try await work()
        await loop.value
        return texts.withLock { $0 }
    }

    @Test("A loop over the progress of a request that is not started logs a notice once, and does not start it")
    func vainLoop() async throws {
        let request = session().upload(.data(.init()), to: "http://a/b?secret=1")
        let texts = await looping(over: request.uploadProgress) {
            await clock.sleepers(atLeast: 1)
            clock.advance(by: ProgressNotice.delay)
            await clock.settled()
            #expect(await request.state == .initialized)
            clock.advance(by: .seconds(60))
            await request.cancel()
        }
        let text = try #require(texts.first)
        #expect(texts.count == 1 && text.contains("uploadProgress") && text.contains("POST http://a/b"))
        #expect(!text.contains("secret") && stub.requests.isEmpty)
    }

    @Test("A loop over progress logs no notice if its request is started within the notice's delay")
    func startedInTime() async throws {
        let request = session().request("http://a/")
        let texts = await looping(over: request.downloadProgress) {
            await clock.sleepers(atLeast: 1)
            clock.advance(by: ProgressNotice.delay - .seconds(1))
            await request.resume()
            await clock.settled()
            clock.advance(by: .seconds(10))
            await clock.settled()
            await request.cancel()
        }
        #expect(texts.isEmpty)
    }

    @Test("A loop over the progress of a suspended request logs no notice")
    func suspended() async throws {
        let request = session().request("http://a/")
        await request.suspend()
        let texts = await looping(over: request.downloadProgress) {
            await clock.settled()
            clock.advance(by: .seconds(10))
            await clock.settled()
            await request.cancel()
        }
        #expect(texts.isEmpty)
    }

    @Test("A loop over progress does not keep its request alive, and ends when the request is released")
    func released() async throws {
        for await _ in session().request("http://a/").downloadProgress {}
        #expect(stub.requests.isEmpty)
    }
}
