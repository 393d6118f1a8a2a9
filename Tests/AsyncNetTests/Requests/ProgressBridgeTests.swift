import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("Foundation's progress", .timeLimit(.minutes(5)))
struct ProgressBridgeTests {
    @Test("A Progress gets the transfer's bytes, rate and remaining time")
    func following() async throws {
        let steps = AsyncStream { continuation in
            continuation.yield(TransferProgress(completedBytes: 10, totalBytes: nil, bytesPerSecond: 0))
            continuation.yield(TransferProgress(completedBytes: 50, totalBytes: 100, bytesPerSecond: 10))
            continuation.finish()
        }
        let progress = Progress(totalUnitCount: -1)
        await steps.report(to: progress)
        #expect(
            progress.totalUnitCount == 100 && progress.completedUnitCount == 50 && progress.fractionCompleted == 0.5)
        #expect(progress.userInfo[.throughputKey] as? Int == 10)
        #expect(progress.userInfo[.estimatedTimeRemainingKey] as? Double == 5)
    }

    @Test("A Progress is indeterminate until the length is known, and finished at the end of the download")
    func download() async throws {
        try await withServer(.data(Data(count: 200_000))) { (server: MockServer) async throws in
            let download = Session().download(server.url(), to: .temporary)
            let progress = Progress(totalUnitCount: -1)
            #expect(progress.isIndeterminate)
            async let following: Void = download.downloadProgress.report(to: progress)
            try FileManager.default.removeItem(at: try await download.value)
            await following
            #expect(progress.isFinished && progress.completedUnitCount == 200_000)
        }
    }

    @MainActor
    private final class WeakRequest {
        private(set) weak var engine: RequestEngine?
        func hold(_ engine: RequestEngine) { self.engine = engine }
    }

    @Test("A Progress suspends, resumes and cancels its request, and does not keep the request alive")
    func control() async throws {
        let clock = TestClock()
        let session = Session(transport: StubTransport { _ in .fault(.stall) }, configuration: .init(clock: clock))
        let progress = Progress(totalUnitCount: -1)
        do {
            let request = session.request("http://a/")
            var events = request.events.makeAsyncIterator()
            progress.control(request)
            await request.resume()
            progress.pause()
            while let event = try await events.next() { if case .suspended = event { break } }
            #expect(await request.state == .suspended)
            progress.resume()
            while let event = try await events.next() { if case .resumed = event { break } }
            #expect(await request.state == .resumed)
            progress.cancel()
            while let event = try await events.next() { if case .finished = event { break } }
            #expect(await request.state == .cancelled)
        }
        let request = await MainActor.run { WeakRequest() }
        do {
            let controlled = session.request("http://a/")
            progress.control(controlled)
            await request.hold(controlled.engine)
        }
        // The progress was cancelled before, so the request is cancelled at once, by the session's mailbox.
        await clock.settled()
        #expect(await request.engine == nil)
    }
}
