import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("Transfers beside a request", .timeLimit(.minutes(1)))
struct SideTransferTests {
    @Test("A request that joins a transfer which the others gave up does not wait for it")
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
        let ended = Counter()
        let second = Task {
            defer { ended.add() }
            return await transfer.outcome()
        }
        #expect(await eventually { ended.value == 1 })
        gate.open()
        #expect(await second.value.error?.code == .cancelled)
    }
}
