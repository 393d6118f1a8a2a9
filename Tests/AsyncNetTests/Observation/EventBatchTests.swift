import Testing

@testable import AsyncNet

@Suite("Events that an observer has taken", .timeLimit(.minutes(5)))
struct EventBatchTests {
    /// An error whose life can be observed.
    private final class Cause: Error {}

    private func event(_ number: Int, _ error: AsyncNetError? = nil) -> SessionEvent {
        SessionEvent(requestID: RequestID(), attempt: number, event: .finished(error))
    }

    private func received(_ batch: inout EventBatch) async -> [Int] {
        var numbers: [Int] = []
        await batch.forEach { numbers.append($0.attempt) }
        return numbers
    }

    @Test("Received events go back and are replaced, in batches of any size")
    func replaced() async {
        var (buffer, batch) = (EventBuffer(capacity: 4), EventBatch())
        var last = 0
        for count in [2, 4, 1, 0, 3, 6, 2, 4] {
            let sent = Array(last + 1..<last + 1 + count)
            for number in sent { buffer.append(event(number)) }
            last += count
            buffer.takeAll(into: &batch)
            #expect(batch.waiting.first?.lostBefore ?? 0 == max(0, count - 4))
            #expect(await received(&batch) == sent.suffix(4))
            #expect(batch.waiting.isEmpty)
        }
    }

    @Test("A new event returns the received event whose place it takes, and a lost one")
    func returned() async {
        var (buffer, batch) = (EventBuffer(capacity: 2), EventBatch())
        #expect(buffer.append(event(1)) == nil)
        buffer.takeAll(into: &batch)
        _ = await received(&batch)
        buffer.takeAll(into: &batch)
        #expect(buffer.append(event(2))?.attempt == 1)
        #expect(buffer.append(event(3)) == nil)
        #expect(buffer.append(event(4))?.attempt == 2)
    }

    @Test("A large batch is freed when it has been received")
    func large() async {
        var (buffer, batch) = (EventBuffer(capacity: 10_000), EventBatch())
        weak var cause: Cause?
        do {
            let error = Cause()
            cause = error
            buffer.append(event(0, AsyncNetError(.transportFailed, underlyingError: error)))
        }
        for number in 1..<5000 { buffer.append(event(number)) }
        buffer.takeAll(into: &batch)
        #expect(cause != nil)
        #expect(await received(&batch).count == 5000)
        #expect(cause == nil)
    }

    @Test("An observer that waits for events keeps none that it has received")
    func quiet() async {
        let channel = EventChannel(capacity: 10, interests: .standard)
        let observer = Task {
            var batch = EventBatch()
            while await channel.take(into: &batch) { await batch.forEach { _ in } }
        }
        // Of two, one would be in the batch and the other in the buffer.
        for _ in 0..<2 {
            weak var cause: Cause?
            do {
                let error = Cause()
                cause = error
                channel.send(event(1, AsyncNetError(.transportFailed, underlyingError: error)))
            }
            await channel.drained()
            while channel.takerCount == 0 { await Task.yield() }
            #expect(cause == nil)
        }
        channel.close()
        await observer.value
    }
}
