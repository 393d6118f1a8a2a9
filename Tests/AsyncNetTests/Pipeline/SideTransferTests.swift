import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("Transfers beside a request", .timeLimit(.minutes(5)))
struct SideTransferTests {
    @Test("A request that joins a side transfer after its only waiter was cancelled gets .cancelled at once")
    func abandoned() async {
        let (gate, hasBegun) = (Gate(), Gate())
        let transfer = SideTransfer(TransferCount()) {
            hasBegun.open()
            await Task.detached { await gate.wait() }.value
            return TransferOutcome()
        }
        let first = Task { await transfer.outcome() }
        await hasBegun.wait()
        first.cancel()
        _ = await first.value
        // The task has not noticed its cancel yet.
        #expect(await transfer.outcome().error?.code == .cancelled)
        gate.open()
    }
}
