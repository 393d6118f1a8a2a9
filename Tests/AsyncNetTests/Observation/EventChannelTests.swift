import Foundation
import Testing

@testable import AsyncNet

@Suite("Channel of events", .timeLimit(.minutes(5)))
struct EventChannelTests {
    private func event(_ event: RequestEvent = .resumed) -> SessionEvent {
        SessionEvent(requestID: RequestID(), event: event)
    }

    private func make(_ capacity: Int = 10, _ interests: EventInterests = .standard) -> (EventChannel, SessionEvents) {
        EventChannel.make(capacity: capacity, interests: interests)
    }

    /// The events of a channel that is closed.
    private func all(_ events: SessionEvents) async -> [SessionEvent] {
        await events.reduce(into: []) { $0.append($1) }
    }

    @Test("An event sent before the channel was closed is received, and a later one is not")
    func closed() async {
        let (channel, events) = make()
        channel.send(event())
        channel.close()
        channel.send(event())
        #expect(await all(events).count == 1)
    }

    @Test("A cancelled observer receives no waiting event")
    func cancelled() async {
        let (channel, events) = make()
        channel.send(event())
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await all(events).count
        }
        #expect(await task.value == 0)
    }

    @Test("drained() waits for events sent before it, not for later ones")
    func drained() async {
        let (channel, events) = make()
        channel.send(event())
        let waiter = Task { await channel.drained() }
        let reader = Task { await all(events).count }
        await waiter.value
        channel.send(event())
        channel.close()
        #expect(await reader.value == 2)
        await channel.drained()
    }

    @Test(
        "Above the capacity the newest events are kept, and the first one has the number of lost events",
        arguments: [
            (capacity: 3, sent: 0, kept: [], lost: 0), (3, 2, [1, 2], 0), (3, 3, [1, 2, 3], 0), (3, 4, [2, 3, 4], 1),
            (3, 8, [6, 7, 8], 5), (1, 5, [5], 4), (0, 2, [2], 1),
        ] as [(capacity: Int, sent: Int, kept: [Int], lost: Int)])
    func overflow(_ capacity: Int, _ sent: Int, _ kept: [Int], _ lost: Int) async {
        let (channel, events) = make(capacity)
        for number in 0..<sent {
            channel.send(SessionEvent(requestID: RequestID(), attempt: number + 1, event: .resumed))
        }
        channel.close()
        let taken = await all(events)
        #expect(taken.map(\.attempt) == kept)
        #expect(taken.map(\.lostBefore) == kept.indices.map { $0 == 0 ? lost : 0 })
    }

    /// An error whose life can be observed.
    private final class Cause: Error {}

    @Test("A monitor that has received all events keeps none of them alive")
    func released() async {
        struct Ignoring: EventMonitor { func receive(_ event: SessionEvent) {} }
        let hub = EventHub([Ignoring()], TimeSource(ContinuousClock()))
        weak var cause: Cause?
        do {
            let error = Cause()
            cause = error
            hub.send(event(.finished(AsyncNetError(.transportFailed, underlyingError: error))))
        }
        await hub.drained()
        #expect(cause == nil)
    }

    @Test(
        "An observer receives only the costly events that its interests include",
        arguments: [
            (.minimal, ["resumed"]), (.standard, ["resumed", "sent GET / HTTP/1.1", "received 1 bytes"]),
            (EventInterests(sentHeads: true), ["resumed", "sent GET / HTTP/1.1"]),
            (EventInterests(bodyBytes: true), ["resumed", "received 1 bytes"]),
            (EventInterests(bodyLimit: 1), ["resumed", "response body: 1 bytes"]),
        ] as [(EventInterests, [String])])
    func interests(_ interests: EventInterests, _ received: [String]) async {
        let (channel, events) = make(10, interests)
        channel.send(event(.resumed))
        channel.send(event(.sent(SentHead(requestLine: "GET / HTTP/1.1", headers: [:]))))
        channel.send(event(.receivedBody(bytes: 1)))
        channel.send(event(.responseBody(Data([1]))))
        channel.close()
        #expect(await all(events).map(\.event.description) == received)
    }
}
