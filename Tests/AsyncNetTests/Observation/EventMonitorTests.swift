import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("Events of a session", .timeLimit(.minutes(5)))
struct EventMonitorTests {
    private static let url = "http://a.example/x"

    private func session(_ monitors: any EventMonitor...) -> Session {
        Session(transport: StubTransport { _ in .text("abc") }, configuration: SessionConfiguration(monitors: monitors))
    }

    @Test("Observers get the steps of a request in order, and its end once", arguments: EventScenario.all)
    func steps(_ scenario: EventScenario) async throws {
        let recorder = try await scenario.anew(in: EventScenario.all).observe()
        #expect(recorder.requestIDs.count == scenario.steps.count)
        for (index, steps) in scenario.steps.enumerated() {
            let received = recorder.steps(ofRequest: index)
            if scenario.isUnordered { #expect(received.sorted() == steps.components(separatedBy: ", ").sorted()) }
            if !scenario.isUnordered { #expect(received.joined(separator: ", ") == steps) }
        }
    }

    @Test("Each hop ends once, with its attempt and hop number, before its request ends", arguments: EventScenario.all)
    func ends(_ scenario: EventScenario) async throws {
        let events = try await scenario.anew(in: EventScenario.all).observe().events
        var open: [RequestID: [String]] = [:]
        for event in events {
            let place = "\(event.attempt).\(event.hop)"
            switch event.event {
            case .hop: open[event.requestID, default: []].append(place)
            case .hopEnded(let summary):
                let index = try #require(open[event.requestID]?.firstIndex(of: place))
                open[event.requestID]?.remove(at: index)
                #expect("\(summary.metrics.attempt).\(summary.metrics.hop)" == place)
                #expect(summary.metrics.statusCode == summary.response?.statusCode)
            case .finished: #expect(open.removeValue(forKey: event.requestID) ?? [] == [])
            default: break
            }
        }
        #expect(open.isEmpty)
    }

    @Test("The summary of a hop has its cache outcome")
    func cacheOutcomes() async throws {
        let scenarios = EventScenario.cached
        var outcomes: Set<CacheOutcome?> = []
        for scenario in scenarios {
            for event in try await scenario.observe().events {
                if case .hopEnded(let summary) = event.event { outcomes.insert(summary.cacheOutcome) }
            }
        }
        #expect(outcomes.isSuperset(of: [.miss, .revalidated, .stale, .bypassed]))
    }

    @Test("Events from the first attempt on have the request's URL template, after redirects too")
    func template() async throws {
        let recorder = EventRecorder()
        let stub = StubTransport { $0.path == "/new" ? .text("abc") : .redirect(to: "/new") }
        let session = Session(transport: stub, configuration: .init(monitors: [recorder]))
        let template = URLTemplate("http://a.example/users/{name}", ["name": "ada"])
        _ = await session.get(template).serializing(String.self).result
        _ = await session.get("http://a.example/new").serializing(String.self).result
        let templates = recorder.events.map {
            "\($0.requestID == recorder.requestIDs[0]) \($0.attempt) \($0.urlTemplate ?? "none")"
        }
        #expect(
            Set(templates) == [
                "true 0 none", "true 1 http://a.example/users/{name}", "false 0 none", "false 1 none",
            ])
    }

    @Test("The segments of a download have hops of their own")
    func segments() async throws {
        let recorder = EventRecorder()
        let stub = StubTransport { RangeStub(data: Data(count: 2 << 20)).reply(to: $0) }
        let session = Session(transport: stub, configuration: SessionConfiguration(monitors: [recorder]))
        try FileManager.default.removeItem(at: try await session.download(Self.url, segments: 2).value)
        for hop in 1...2 {
            let steps = recorder.events.filter { $0.hop == hop }.map(\.event.step)
            #expect(steps.prefix(2) == ["hop GET /x", "response 206"])
        }
        #expect(recorder.events.map(\.hop).max() == 2)
        #expect(recorder.steps().last == "1 finished")
    }

    @Test("The retry of a segment is not an attempt of its download")
    func retriedSegment() async throws {
        let (recorder, refusals) = (EventRecorder(), Counter())
        let stub = StubTransport { request in
            if RangeStub.isLater(request), refusals.value == 0 {
                refusals.add()
                return .status(503)
            }
            return RangeStub(data: Data(count: 2 << 20)).reply(to: request)
        }
        let retries = RetryPolicy(backoff: Backoff(scale: .zero, jitter: .none))
        let session = Session(
            transport: stub, configuration: SessionConfiguration(interceptors: [retries], monitors: [recorder]))
        try FileManager.default.removeItem(at: try await session.download(Self.url, segments: 2).value)
        let steps = recorder.events.map(\.event.step)
        #expect(refusals.value == 1)
        #expect(!steps.contains { $0.hasPrefix("retried") || $0.hasPrefix("adapted") })
        #expect(steps.count { $0.hasPrefix("hop") } == 3)
    }

    @Test("The value of a cookie without a name is not in any event")
    func namelessCookie() async throws {
        let recorder = EventRecorder()
        let stub = StubTransport { _ in .text("a", headers: ["Set-Cookie": "hunter2; Path=/"]) }
        let session = Session(
            transport: stub, configuration: SessionConfiguration(monitors: [recorder], cookieJar: CookieJar()))
        _ = try await session.request(Self.url).serializing(Data.self).value
        #expect(!recorder.events.contains { $0.description.contains("hunter2") })
    }

    @Test("Only the event of the request's end has a summary")
    func summary() async throws {
        let recorder = EventRecorder()
        let template = URLTemplate("http://a.example/{name}", ["name": "x"])
        _ = try await session(recorder).request(template).serializing(Data.self).value
        let summaries = recorder.events.compactMap(\.summary)
        #expect(summaries.count == 1)
        #expect(summaries.first?.urlTemplate == "http://a.example/{name}")
        #expect(summaries.first?.response?.statusCode == 200)
        #expect(summaries.first?.metrics.receivedBytes == 3)
        #expect(summaries.first?.error == nil)
    }

    @Test("The times of events come from the session's clock")
    func instants() async throws {
        let (clock, recorder) = (TestClock(), EventRecorder())
        let stub = StubTransport(clock: clock) { _ in .text("abc").delayed(by: .seconds(7)) }
        let session = Session(transport: stub, configuration: .init(monitors: [recorder], clock: clock))
        clock.advance(by: .seconds(2))
        _ = try await clock.run { try await session.request(Self.url).serializing(Data.self).value }
        #expect(recorder.events.first?.instant == .seconds(2))
        #expect(recorder.events.last?.instant == .seconds(9))
    }

    @Test("A slow monitor does not delay requests, loses the oldest events, and gets their number")
    func slowMonitor() async throws {
        let monitor = HeldMonitor()
        let session = session(monitor)
        for _ in 0..<2_000 { _ = try await session.request(Self.url).serializing(Data.self).value }
        #expect(monitor.received.count <= 1)
        monitor.gate.open()
        await session.monitorsReceivedEvents()
        let (received, lost) = (monitor.received, monitor.received.map(\.lostBefore).reduce(0, +))
        #expect(lost > 0 && received.count + lost == 2_000 * 9)
        #expect(received.last?.event.step == "decoded Data")
    }

    @Test("A monitor that blocks its thread does not delay requests")
    func blockingMonitor() async throws {
        let monitor = BlockingMonitor()
        let session = session(monitor)
        for _ in 0..<100 { _ = try await session.request(Self.url).serializing(Data.self).value }
        monitor.semaphore.signal()
        await session.monitorsReceivedEvents()
        #expect(monitor.count.value == 900)
    }

    @Test("Monitors that suspend and then block their threads do not delay requests")
    func waitingMonitors() async throws {
        // One more monitor than Swift has threads for tasks.
        let monitors = (0...ProcessInfo.processInfo.activeProcessorCount).map { _ in WaitingMonitor() }
        let session = Session(transport: StubTransport { _ in .text("abc") }, configuration: .init(monitors: monitors))
        for monitor in monitors {
            _ = try await session.request(Self.url).serializing(Data.self).value
            await monitor.isBlocked.wait()
        }
        _ = try await session.request(Self.url).serializing(Data.self).value
        for monitor in monitors { monitor.semaphore.signal() }
        await session.monitorsReceivedEvents()
        #expect(monitors.map(\.count.value) == monitors.map { _ in 9 * (monitors.count + 1) })
    }

    @Test("A monitor isolated to the main actor is called there")
    func mainActorMonitor() async throws {
        let monitor = MainActorMonitor()
        let session = session(monitor)
        _ = try await session.request(Self.url).serializing(Data.self).value
        await session.finish()
        #expect(await monitor.count == 9)
    }

    @Test("Several monitors and loops get the same events in the same order, each once")
    func manyObservers() async throws {
        let recorders = [EventRecorder(), EventRecorder()]
        let session = session(recorders[0], recorders[1])
        let loops = [session.events, session.events]
        for _ in 0..<10 { _ = try await session.request(Self.url).serializing(String.self).value }
        await session.finish()
        let events = recorders[0].events.map(\.description)
        #expect(events.count == 90)
        #expect(recorders[1].events.map(\.description) == events)
        for loop in loops {
            var received: [String] = []
            for await event in loop { received.append(event.description) }
            #expect(received == events)
        }
    }

    @Test("An actor can be a monitor, and gets the events in order")
    func actorMonitor() async throws {
        let monitor = ActorMonitor()
        let session = session(monitor)
        _ = try await session.request(Self.url).serializing(String.self).value
        await session.finish()
        #expect(
            await monitor.steps == [
                "created", "resumed", "1 attempt GET /x", "1.1 hop GET /x", "1.1 response 200", "1.1 received 3 bytes",
                "1.1 ended delivered 200", "1 finished", "1 decoded String",
            ])
    }

    // MARK: Sequences

    @Test("A loop over a session's events gets the events since it was made, and ends with the session")
    func sequence() async throws {
        let session = session()
        _ = try await session.request(Self.url).serializing(Data.self).value
        let events = session.events
        _ = try await session.request(Self.url).serializing(Data.self).value
        await session.finish()
        var steps: [String] = []
        for await event in events { steps.append(event.step) }
        #expect(steps.count == 9 && steps.first == "created" && steps.last == "1 decoded Data")
        for await _ in session.events { Issue.record("a finished session has no events") }
    }

    @Test("A cancelled loop over events ends, and no more events are made for it")
    func cancelledLoop() async throws {
        let session = session()
        let hasEvent = Gate()
        let task = Task { for await _ in session.events { hasEvent.open() } }
        while !session.environment.events.isObserved { await Task.yield() }
        _ = try await session.request(Self.url).serializing(Data.self).value
        await hasEvent.wait()
        task.cancel()
        await task.value
        #expect(!session.environment.events.isObserved)
    }

    @Test("An observer gets the bytes of bodies only if its interests include them, up to bodyLimit")
    func interests() async throws {
        let session = session()
        let (few, many) = (session.events(.minimal), session.events(EventInterests(bodyLimit: 2)))
        _ = try await session.upload(.data(Data("hello".utf8)), to: Self.url).serializing(Data.self).value
        await session.finish()
        var texts: [String] = []
        for await event in many {
            switch event.event {
            case .requestBody(let data), .responseBody(let data): texts.append(String(decoding: data, as: UTF8.self))
            default: break
            }
        }
        #expect(texts == ["he", "ab"])
        var hasEvents = false
        for await event in few { hasEvents = hasEvents || event.event.step == "1 finished" }
        #expect(!hasEvents)
    }

    // MARK: Exactly one end

    @Test("A request cancelled at any step has one end, and no event follows it")
    func storm() async throws {
        let recorder = EventRecorder()
        let session = session(recorder)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    let request = session.request(Self.url)
                    async let result = request.serializing(Data.self).result
                    for _ in 0..<(number % 20) { await Task.yield() }
                    await request.cancel()
                    _ = await result
                }
            }
        }
        await session.finish()
        let requests = Dictionary(grouping: recorder.events, by: \.requestID)
        #expect(requests.count == 1_000)
        for events in requests.values {
            let steps = events.drop { if case .finished = $0.event { false } else { true } }.map(\.event.step)
            #expect(steps == ["finished cancelled"] || steps == ["finished", "decoded Data"])
        }
    }
}

/// Waits at its first event until a gate opens.
private final class HeldMonitor: EventMonitor {
    let gate = Gate()
    private let events = Locked<[SessionEvent]>([])
    var received: [SessionEvent] { events.withLock { $0 } }

    func receive(_ event: SessionEvent) async {
        events.withLock { $0.append(event) }
        await gate.wait()
    }
}

/// Blocks its thread at its first event.
private final class BlockingMonitor: EventMonitor {
    let semaphore = DispatchSemaphore(value: 0)
    let count = Counter()

    func receive(_ event: SessionEvent) {
        if count.value == 0 { semaphore.wait() }
        count.add()
    }
}

/// Waits at its first event, and then blocks its thread.
private final class WaitingMonitor: EventMonitor {
    let isBlocked = Gate()
    let semaphore = DispatchSemaphore(value: 0)
    let count = Counter()

    func receive(_ event: SessionEvent) async {
        if count.value == 0 {
            await Task.yield()
            isBlocked.open()
            block()
        }
        count.add()
    }

    private func block() { semaphore.wait() }
}

@MainActor
private final class MainActorMonitor: EventMonitor {
    private(set) var count = 0

    // Needs the attribute: Swift 6.3 infers no actor for the witness of an asynchronous requirement.
    @MainActor
    func receive(_ event: SessionEvent) async {
        MainActor.preconditionIsolated()
        count += 1
    }
}

private actor ActorMonitor: EventMonitor {
    private(set) var steps: [String] = []
    func receive(_ event: SessionEvent) { steps.append(event.step) }
}
