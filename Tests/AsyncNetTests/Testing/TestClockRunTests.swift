import AsyncNet
import AsyncNetTesting
import Foundation
import Synchronization
import Testing

/// What `run` promises: delays pass at once, limits fire when they are due and never before.
@Suite("TestClock.run", .timeLimit(.minutes(5)))
struct TestClockRunTests {
    private static let policy = RetryPolicy(limit: 3, backoff: Backoff(scale: .seconds(1), jitter: .none))

    private func session(
        _ clock: TestClock, _ transport: any Transport, deadline: Duration? = nil, policies: [any RequestPolicy] = []
    ) -> Session {
        Session(
            transport: transport,
            configuration: .init(
                interceptors: policies, timeout: .seconds(60), deadline: deadline, retryBudget: nil, clock: clock))
    }

    @Test("run moves the clock by the sum of the delays of a request's retries")
    func retries() async throws {
        let clock = TestClock()
        let stub = StubTransport()
        stub.on(
            .get, "/", replies: .status(503), .status(503), .status(503, headers: ["Retry-After": "30"]),
            .json(User.json))
        let session = session(clock, stub, policies: [Self.policy])
        let user = try await clock.run { try await session.request("http://a/").serializing(User.self).value }
        #expect(user == .ada)
        #expect(stub.requests.count == 4)
        #expect(clock.now.offset == .seconds(33))
    }

    @Test("run moves the clock once for equal retry delays of concurrent requests, without an early timeout")
    func concurrentRetries() async throws {
        let clock = TestClock()
        let counts = Locked<[String: Int]>([:])
        let stub = StubTransport { request in
            let count = counts.withLock { counts in
                counts[request.path, default: 0] += 1
                return counts[request.path] ?? 0
            }
            return count < 4 ? .status(503, headers: ["Retry-After": "50"]) : .text(request.path)
        }
        let session = session(clock, stub, policies: [Self.policy])
        let texts = try await clock.run {
            try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        try await session.request("http://a/\(number)").validate().serializing(String.self).value
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
        }
        #expect(texts.count == 20)
        #expect(stub.requests.count == 80)
        #expect(clock.now.offset == .seconds(150))
    }

    @Test("A stalled response ends at the attempt's timeout, or at the request's deadline if that is earlier")
    func stalls() async throws {
        for (deadline, code, seconds) in [(nil, .timedOut, 60), (.seconds(10), .deadlineExceeded, 10)]
            as [(Duration?, AsyncNetError.Code, Int)]
        {
            for fault in [MockResponse.Fault.stall, .stallMidBody(after: 3)] {
                let clock = TestClock()
                let session = session(clock, StubTransport { _ in .fault(fault) }, deadline: deadline)
                let result = await clock.run { await session.request("http://a/").serializing(Data.self).result }
                #expect(result.failure?.code == code)
                #expect(clock.now.offset == .seconds(seconds))
            }
        }
    }

    @Test("A delayed response arrives before its timeout, or the request ends at its deadline during the delay")
    func delays() async throws {
        let clock = TestClock()
        let stub = StubTransport { _ in .text("late").delayed(by: .seconds(59)) }
        let patient = session(clock, stub)
        #expect(try await clock.run { try await patient.request("http://a/").serializing(String.self).value } == "late")
        #expect(clock.now.offset == .seconds(59))
        let hasty = session(clock, stub, deadline: .seconds(10))
        let result = await clock.run { await hasty.request("http://a/").serializing(String.self).result }
        #expect(result.failure?.code == .deadlineExceeded)
        #expect(clock.now.offset == .seconds(69))
    }

    @Test("The clock does not advance while a stub's closure runs, even if another request waits")
    func handlers() async throws {
        let clock = TestClock()
        let stub = StubTransport { request in
            if request.path == "/slow" {
                // Many suspensions, each of which lets other tasks run.
                for _ in 0..<1000 { await Task.yield() }
                return .text("slow")
            }
            return .text("late").delayed(by: .seconds(59))
        }
        let session = session(clock, stub, deadline: .seconds(59) + .nanoseconds(1))
        let texts = try await clock.run {
            async let late = session.request("http://a/late").serializing(String.self).value
            async let slow = session.request("http://a/slow").serializing(String.self).value
            return try await [late, slow]
        }
        #expect(texts == ["late", "slow"])
    }

    @Test("run advances the clock for hedging delays, rate limits and the test's own sleeps")
    func otherWaits() async throws {
        let clock = TestClock()
        let count = Atomic(0)
        let stub = StubTransport { _ in
            count.add(1, ordering: .relaxed).newValue == 1 ? .fault(.stall) : .text("hedge")
        }
        let hedging = session(clock, stub, policies: [HedgingPolicy(after: .fixed(.seconds(2)))])
        #expect(
            try await clock.run { try await hedging.request("http://a/").serializing(String.self).value } == "hedge")
        #expect(clock.now.offset == .seconds(2))

        let limited = Session(
            transport: StubTransport { _ in .text("x") },
            configuration: .init(rateLimit: RateLimit(requests: 1, per: .seconds(5), burst: 1), clock: clock))
        try await clock.run {
            for _ in 0..<3 { _ = try await limited.request("http://a/").serializing(String.self).value }
            try await clock.sleep(for: .seconds(8))
        }
        #expect(clock.now.offset == .seconds(20))
    }

    @Test("Over sockets run advances the clock for a retry's delay, and not while a response is awaited")
    func sockets() async throws {
        let clock = TestClock()
        let gate = Gate()
        try await withServer(.status(503), .status(503)) { server in
            server.on(.get, "/slow") { _ in
                await gate.wait()
                return .text("slow")
            }
            server.on(.get, "/quick") { _ in
                gate.open()
                return .text("quick")
            }
            let session = session(clock, .automatic, deadline: .seconds(50), policies: [Self.policy])
            let texts = try await clock.run {
                let quick = try await session.request(server.url("/quick")).validate().serializing(String.self).value
                return try await [quick, session.request(server.url("/slow")).serializing(String.self).value]
            }
            #expect(texts == ["quick", "slow"])
            #expect(clock.now.offset == .seconds(3))
        }
    }

    @Test("run throws the error of its closure, and a cancel cancels the closure")
    func ends() async throws {
        let clock = TestClock()
        await #expect(throws: CocoaError.self) { try await clock.run { throw CocoaError(.featureUnsupported) } }
        let isWaiting = Gate()
        let task = Task {
            try await clock.run {
                isWaiting.open()
                let (never, end) = AsyncStream.makeStream(of: Void.self)
                for await _ in never {}
                withExtendedLifetime(end) {}
                try Task.checkCancellation()
            }
        }
        await isWaiting.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("run calls a closure of the main actor on the main actor")
    @MainActor
    func mainActor() async throws {
        let clock = TestClock()
        let stub = StubTransport()
        stub.on(.get, "/", replies: .status(503), .text("x"))
        let session = session(clock, stub, policies: [Self.policy])
        var texts: [String] = []
        try await clock.run {
            MainActor.preconditionIsolated()
            texts.append(try await session.request("http://a/").validate().serializing(String.self).value)
        }
        #expect(texts == ["x"])
        #expect(clock.now.offset == .seconds(1))
    }

    @Test("run does not move the clock before its caller, the main actor, has made both of its requests")
    @MainActor
    func requestsOfMainActor() async throws {
        let clock = TestClock()
        let stub = StubTransport()
        stub.on(.get, "/a", replies: .status(503, headers: ["Retry-After": "30"]), .text("a"))
        stub.on(.get, "/b", replies: .status(503, headers: ["Retry-After": "50"]), .text("b"))
        let session = session(clock, stub, policies: [Self.policy])
        let texts = try await clock.run {
            async let first = session.request("http://a/a").serializing(String.self).value
            // Keeps the main actor until the first request waits for its retry.
            while clock.sleeperCount == 0, clock.now.offset == .zero { sched_yield() }
            for _ in 0..<1000 { sched_yield() }
            async let second = session.request("http://a/b").serializing(String.self).value
            return try await [first, second]
        }
        #expect(texts == ["a", "b"])
        #expect(clock.now.offset == .seconds(50))
    }
}

@Suite("TestClock.advanceToNextDeadline", .timeLimit(.minutes(5)))
struct TestClockStepTests {
    @Test("advanceToNextDeadline() waits for the next sleeper, and advances to its deadline")
    func steps() async throws {
        let clock = TestClock()
        let stub = StubTransport()
        stub.on(.get, "/", replies: .status(503), .status(503), .text("x"))
        let session = Session(
            transport: stub,
            configuration: .init(
                interceptors: [RetryPolicy(backoff: Backoff(scale: .seconds(1), jitter: .none))],
                timeout: .seconds(60), clock: clock))
        async let text = session.request("http://a/").validate().serializing(String.self).value
        let steps = await [clock.advanceToNextDeadline(), clock.advanceToNextDeadline()]
        #expect(steps == [.seconds(1), .seconds(2)])
        #expect(try await text == "x")
        #expect(clock.now.offset == .seconds(3))
    }

    @Test("A cancelled advanceToNextDeadline() does not advance the clock")
    func cancel() async {
        let clock = TestClock()
        let task = Task { await clock.advanceToNextDeadline() }
        task.cancel()
        #expect(await task.value == .zero)
        let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.sleepers(atLeast: 1)
        #expect(clock.now.offset == .zero)
        #expect(await clock.advanceToNextDeadline() == .seconds(1))
        await #expect(throws: Never.self) { try await sleeper.value }
    }
}

@Suite("TestClock.settled", .timeLimit(.minutes(5)))
struct TestClockSettlingTests {
    @Test("settled() returns when each task of the clock has ended or is suspended", arguments: 0..<20)
    func settling(_: Int) async {
        let (clock, gate, arrived) = (TestClock(), Gate(), Counter())
        await clock.settled()
        let tasks = (0..<50).map { number in
            clock.task {
                for _ in 0..<number { await Task.yield() }
                arrived.add()
                await gate.wait()
                arrived.add()
            }
        }
        await clock.settled()
        #expect(arrived.value == 50)
        gate.open()
        await clock.settled()
        #expect(arrived.value == 100)
        for task in tasks { await task.value }
    }

    @Test("A cancelled settled() returns while tasks of the clock still run")
    func cancel() async {
        let clock = TestClock()
        let isBusy = Locked(true)
        let busy = clock.task { while isBusy.withLock({ $0 }) { await Task.yield() } }
        for _ in 0..<2 {
            let waiting = Task { await clock.settled() }
            waiting.cancel()
            await waiting.value
        }
        isBusy.withLock { $0 = false }
        await busy.value
    }
}
