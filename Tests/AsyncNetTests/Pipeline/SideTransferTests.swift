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

    @Test("A request that adopts a shared transfer adds the transfer's redirects and repeats to its own")
    func metrics() throws {
        let (first, second) = (try "http://a/1".asURL(), try "http://a/2".asURL())
        let side = TransferRecord()
        side.repeated()
        side.redirected(to: TransportRequest(head: HTTPRequestHead(url: second)))
        let record = TransferRecord()
        record.beginAttempt()
        record.beginHop(HTTPRequestHead(url: first))
        record.redirected(to: TransportRequest(head: HTTPRequestHead(url: first)))
        record.beginAttempt()
        record.adopt(side.outcome(nil))
        let metrics = record.outcome(nil).metrics
        #expect(metrics.redirects == [first, second])
        #expect(metrics.attempts == 3)
        #expect(record.retryCount == 1)
    }
}
