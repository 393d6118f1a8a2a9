import Testing

@testable import AsyncNet

@Suite("The events that wait for an observer")
struct EventBufferTests {
    private func append(_ number: Int, to buffer: inout EventBuffer) {
        var event = SessionEvent(requestID: RequestID(), attempt: number, event: .resumed)
        buffer.append(&event)
    }

    @Test(
        "The newest are kept in their order, and the first has the number of lost events",
        arguments: [
            (capacity: 3, sent: 0, kept: [], lost: 0), (3, 2, [1, 2], 0), (3, 3, [1, 2, 3], 0), (3, 4, [2, 3, 4], 1),
            (3, 8, [6, 7, 8], 5), (1, 5, [5], 4), (0, 2, [2], 1),
        ] as [(capacity: Int, sent: Int, kept: [Int], lost: Int)])
    func overflow(_ capacity: Int, _ sent: Int, _ kept: [Int], _ lost: Int) {
        var buffer = EventBuffer(capacity: capacity)
        for number in 0..<sent { append(number + 1, to: &buffer) }
        guard sent > 0 else { return #expect(buffer.isEmpty) }
        let taken = buffer.takeAll()
        #expect(taken.map(\.attempt) == kept)
        #expect(taken.map(\.lostBefore) == [lost] + Array(repeating: 0, count: taken.count - 1))
        #expect(buffer.isEmpty)
    }

    @Test("What was lost is counted once")
    func countedOnce() {
        var buffer = EventBuffer(capacity: 1)
        for number in 1...3 { append(number, to: &buffer) }
        #expect(buffer.takeAll().first?.lostBefore == 2)
        append(4, to: &buffer)
        #expect(buffer.takeAll().first?.lostBefore == 0)
    }
}
