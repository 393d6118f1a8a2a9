import AsyncNet
import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNetTestSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Slow networks on a test clock: each time is exact, since it is computed.
@Suite("ShapedTransport", .timeLimit(.minutes(5)))
struct ShapedTransportTests {
    private static let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })

    private func session(_ profile: NetworkProfile, over transport: any Transport, _ clock: TestClock) -> Session {
        Session(
            transport: ShapedTransport(profile, over: transport),
            configuration: .init(timeout: .seconds(60), retryBudget: nil, clock: clock))
    }

    private func echo() -> StubTransport {
        StubTransport { request in .data(request.method == .get ? Self.bytes : request.body) }
    }

    @Test(
        "A download and an upload take the time that the profile gives",
        arguments: [NetworkProfile.slow3G, .fast3G, .fast4G, .regular4G, .dsl, NetworkProfile()])
    func times(_ profile: NetworkProfile) async throws {
        let clock = TestClock()
        let session = session(profile, over: echo(), clock)
        let down = try await clock.run { try await session.request("http://a/").serializing(Data.self).value }
        #expect(down == Self.bytes)
        let downloaded = profile.duration(receiving: 100_000)
        #expect(abs(clock.now.offset - downloaded) < .nanoseconds(1))
        let up = try await clock.run {
            try await session.upload(.data(Self.bytes), to: "http://a/").serializing(Data.self).value
        }
        #expect(up == Self.bytes)
        let exchanged = profile.duration(sending: 100_000, receiving: 100_000)
        #expect(abs(clock.now.offset - downloaded - exchanged) < .nanoseconds(1))
    }

    private func abs(_ duration: Duration) -> Duration { max(duration, .zero - duration) }

    @Test("Concurrent transfers share the bandwidth; a single transfer has all of it")
    func sharing() async throws {
        let clock = TestClock()
        let profile = NetworkProfile(download: 100_000)
        let session = session(profile, over: echo(), clock)
        let ends = try await clock.run {
            async let first = session.request("http://a/1").serializing(Data.self).value
            async let second = session.request("http://a/2").serializing(Data.self).value
            _ = try await [first, second]
            let both = clock.now.offset
            _ = try await session.request("http://a/3").serializing(Data.self).value
            return [both, clock.now.offset]
        }
        #expect(ends == [.seconds(2), .seconds(3)])
    }

    @Test("Chunks arrive one after the other, in pieces of 50 milliseconds")
    func chunks() async throws {
        let clock = TestClock()
        let profile = NetworkProfile(latency: .seconds(1), download: 100)
        let stub = StubTransport { _ in .chunked(["abcdefgh", "ijk", ""]) }
        let session = session(profile, over: stub, clock)
        let seen = try await clock.run {
            var seen: [(String, Duration)] = []
            for try await chunk in session.stream("http://a/").chunks {
                seen.append((String(decoding: chunk, as: UTF8.self), clock.now.offset))
            }
            return seen
        }
        #expect(seen.map(\.0) == ["abcde", "fgh", "ijk"])
        #expect(seen.map(\.1) == [1050, 1080, 1110].map { .milliseconds($0) })
    }

    @Test("A response body is read from the wrapped transport no faster than its reader reads")
    func backPressure() async throws {
        let taken = Counter()
        let chunks = CountedChunks(count: 1000, taken: taken)
        let base = BodyTransport(body: { TransportBody(chunks) })
        let transport = ShapedTransport(NetworkProfile(download: 1_000_000_000), over: base)
        let response = try await transport.send(TransportRequest(head: .init(url: URL(filePath: "/"))))
        var iterator = response.body.makeAsyncIterator()
        for read in 1...3 {
            _ = try await iterator.next()
            #expect(taken.value == read)
        }
    }

    @Test("A cancel during the latency, upload or body ends the transfer and its sleep on the clock")
    func cancels() async throws {
        for (profile, method) in [
            (NetworkProfile(latency: .seconds(10)), HTTPMethod.get), (NetworkProfile(upload: 10), .put),
            (NetworkProfile(download: 10), .get),
        ] {
            let clock = TestClock()
            let transport = ShapedTransport(profile, over: echo(), clock: clock)
            let body = method == .put ? RequestBody.data(Self.bytes) : .none
            let head = HTTPRequestHead(method: method, url: try "http://a/".asURL())
            let request = TransportRequest(head: head, body: body)
            let task = Task {
                let response = try await transport.send(request)
                for try await _ in response.body {}
            }
            await clock.sleepers(atLeast: 1)
            task.cancel()
            await #expect {
                try await task.value
            } throws: {
                $0 is CancellationError || ($0 as? AsyncNetError)?.code == .cancelled
            }
            #expect(clock.sleeperCount == 0)
        }
    }

    @Test("The same seed gives the same jitter and losses, and another seed gives others")
    func seeds() async throws {
        func run(_ seed: UInt64) async -> [String] {
            let clock = TestClock()
            let profile = NetworkProfile(latency: .seconds(1), jitter: .seconds(1), loss: 0.5, seed: seed)
            let session = session(profile, over: StubTransport { _ in .text("x") }, clock)
            var log: [String] = []
            for _ in 0..<20 {
                let response = await clock.run { await session.request("http://a/").serializing(Data.self).response }
                log.append("\(clock.now.offset) \(response.error.map { "\($0.code)" } ?? "-")")
            }
            return log
        }
        let first = await run(1)
        #expect(await run(1) == first)
        #expect(await run(2) != first)
        let lost = first.filter { $0.hasSuffix("connectionLost") }.count
        let expected = (1...20).filter { ExchangeChance(NetworkProfile(loss: 0.5, seed: 1), number: $0).isLost }.count
        #expect(lost == expected)
        #expect((1..<20).contains(lost))
    }

    @Test("A request over an offline profile ends with cannotConnect, and is not sent")
    func offline() async {
        let stub = echo()
        let session = session(.offline, over: stub, TestClock())
        #expect(await session.request("http://a/").serializing(Data.self).response.error?.code == .cannotConnect)
        #expect(stub.requests.isEmpty)
    }

    @Test("A slow body causes no timeout, a stalled body ends with timedOut, and a deadline ends a slow body")
    func limits() async throws {
        let clock = TestClock()
        let slow = session(NetworkProfile(download: 1000), over: echo(), clock)
        let length = try await clock.run { try await slow.request("http://a/").serializing(Data.self).value.count }
        #expect(length == 100_000)
        #expect(clock.now.offset == .seconds(100))
        let stalled = session(.slow3G, over: StubTransport { _ in .fault(.stallMidBody(after: 500)) }, clock)
        let stall = await clock.run { await stalled.request("http://a/").serializing(Data.self).response }
        #expect(stall.error?.code == .timedOut)
        #expect(clock.now.offset == .seconds(100) + NetworkProfile.slow3G.duration(receiving: 500) + .seconds(60))
        let hasty = slow.request("http://a/").deadline(.seconds(10))
        let late = await clock.run { await hasty.serializing(Data.self).response }
        #expect(late.error?.code == .deadlineExceeded)
    }

    @Test("An upload redirected by 307 sends its body again, and the profile delays both")
    func uploads() async throws {
        let clock = TestClock()
        let stub = StubTransport()
        stub.on(.put, "/a", replies: .redirect(to: "/b", status: 307))
        stub.on(.put, "/b") { request in .data(request.body) }
        let session = session(.slow3G, over: stub, clock)
        let value = try await clock.run {
            try await session.upload(.data(Self.bytes), to: "http://a/a", method: .put).serializing(Data.self).value
        }
        #expect(value == Self.bytes)
        #expect(stub.requests.map(\.body.count) == [100_000, 100_000])
        let time = NetworkProfile.slow3G.duration(sending: 200_000, receiving: 100_000) + .seconds(2)
        #expect(clock.now.offset == time)
    }

    @Test("An upload whose file cannot be read ends with fileNotReadable")
    func files() async throws {
        let missing = URL(filePath: "/missing-\(UUID())")
        let head = HTTPRequestHead(method: .put, url: try "http://a/".asURL())
        let transport = ShapedTransport(.slow3G, over: echo(), clock: TestClock())
        let request = TransportRequest(head: head, body: .file(missing))
        let error = await #expect(throws: AsyncNetError.self) { _ = try await transport.send(request) }
        #expect(error?.code == .fileNotReadable)
    }

    @Test(
        "Over libcurl and URLSession the clock advances by exactly the time that the profile gives",
        arguments: [false, true])
    func sockets(_ isURLSession: Bool) async throws {
        let clock = TestClock()
        try await withServer { (server: MockServer) async throws in
            server.on(nil, "/") { request in .data(request.method == .get ? Self.bytes : request.body) }
            let transport: any Transport = isURLSession ? .urlSession : .libcurl()
            let session = session(.slow3G, over: transport, clock)
            let request = session.upload(.data(Self.bytes), to: server.url())
            #expect(try await clock.run { try await request.serializing(Data.self).value } == Self.bytes)
            #expect(clock.now.offset == NetworkProfile.slow3G.duration(sending: 100_000, receiving: 100_000))
            await session.finish()
        }
    }
}

/// Chunks that are counted when they are taken.
private struct CountedChunks: AsyncSequence, Sendable {
    let count: Int
    let taken: Counter

    func makeAsyncIterator() -> Iterator { Iterator(count: count, taken: taken) }

    struct Iterator: AsyncIteratorProtocol {
        let count: Int
        let taken: Counter

        mutating func next() async throws -> Data? {
            guard taken.value < count else { return nil }
            taken.add()
            return Data(count: 1000)
        }
    }
}

private struct BodyTransport: Transport {
    let body: @Sendable () -> TransportBody

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        TransportResponse(head: HTTPResponseHead(statusCode: 200, url: request.head.url), body: body())
    }
}
