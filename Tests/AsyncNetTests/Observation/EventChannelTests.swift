import Foundation
import Testing

@testable import AsyncNet

@Suite("Channel of events", .timeLimit(.minutes(5)))
struct EventChannelTests {
    private func event(_ event: RequestEvent = .resumed) -> SessionEvent {
        SessionEvent(requestID: RequestID(), event: event)
    }

    @Test("What was sent before the end is taken after it")
    func closed() async {
        let channel = EventChannel(capacity: 10, interests: .standard)
        channel.send(event())
        channel.close()
        channel.send(event())
        #expect(await channel.take()?.count == 1)
        #expect(await channel.take() == nil)
    }

    @Test("A cancelled observer takes nothing, though events wait")
    func cancelled() async {
        let channel = EventChannel(capacity: 10, interests: .standard)
        channel.send(event())
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await channel.take()
        }
        #expect(await task.value == nil)
    }

    @Test("A task that waits for the observer waits for the events before it, not for those after it")
    func drained() async {
        let channel = EventChannel(capacity: 10, interests: .standard)
        channel.send(event())
        let waiter = Task { await channel.drained() }
        while channel.waiterCount == 0 { await Task.yield() }
        #expect(await channel.take()?.count == 1)
        channel.send(event())
        #expect(await channel.take()?.count == 1)
        channel.send(event())
        await waiter.value
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
        "An observer gets none of the events that cost time and that it does not need",
        arguments: [
            (.minimal, ["resumed"]), (.standard, ["resumed", "sent GET / HTTP/1.1", "received 1 bytes"]),
            (EventInterests(sentHeads: true), ["resumed", "sent GET / HTTP/1.1"]),
            (EventInterests(bodyBytes: true), ["resumed", "received 1 bytes"]),
            (EventInterests(bodyLimit: 1), ["resumed", "response body: 1 bytes"]),
        ] as [(EventInterests, [String])])
    func interests(_ interests: EventInterests, _ received: [String]) async {
        let channel = EventChannel(capacity: 10, interests: interests)
        channel.send(event(.resumed))
        channel.send(event(.sent(SentHead(requestLine: "GET / HTTP/1.1", headers: [:]))))
        channel.send(event(.receivedBody(bytes: 1)))
        channel.send(event(.responseBody(Data([1]))))
        let taken = await channel.take() ?? []
        #expect(taken.map(\.event.description) == received)
    }
}
