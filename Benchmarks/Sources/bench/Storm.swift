import ArgumentParser
import AsyncNet
import AsyncNetMonitors
import AsyncNetTestSupport
import Foundation
import Synchronization

struct Storm: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Rounds of requests, redirects among them, cancelled at random moments in every way there is.",
        discussion:
            "Fails if an await outlives its cancel by a second, if a request stays alive, if a monitor does not get one end of each, or, of course, by a crash."
    )

    @Option(help: "Rounds.") var rounds = 100
    @Option(help: "Requests a round.") var requests = 1000
    @Option(help: "sockets, libcurl or urlsession.") var transport = Carrier.sockets
    @Option(help: "Caches responses: `memory`, or in a folder of this name.") var cache: String?
    @Option(help: "Seed of the random moments.") var seed: UInt64 = 1

    /// Belongs to a request's validator, so that it is released with the request.
    final class Token: Sendable {}

    struct Weak: Sendable { weak var token: Token? }

    func run() async throws {
        let server = try await MockServer.start()
        // With a cache, the fast and the large are fresh for a second, and the slow is confirmed each time.
        await server.route("/fast") { _ in .text("fast", headers: ["Cache-Control": "max-age=1"]) }
        await server.route("/slow") { request in
            let headers: HTTPHeaders = ["Cache-Control": "no-cache", "ETag": "\"1\""]
            let isKnown = request.headers["If-None-Match"] == headers["ETag"]
            return (isKnown ? MockResponse.status(304, headers: headers) : .text("slow", headers: headers))
                .delayed(by: .milliseconds(20))
        }
        await server.route("/redirect") { _ in .redirect(to: "fast") }
        await server.route("/large") { _ in
            .data(Data(count: 300_000), headers: ["Cache-Control": "max-age=1"])
        }
        await server.route("/refused") { _ in
            .status(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""], body: "no")
        }
        let metrics = MetricsMonitor()
        var configuration = SessionConfiguration(monitors: [metrics])
        configuration.cache = try cache.map { name in
            // Small, so that responses are evicted too.
            name == "memory"
                ? HTTPCache(capacity: 4 << 20)
                : try HTTPCache(directory: URL(fileURLWithPath: name, isDirectory: true), capacity: 4 << 20)
        }
        let session = Session(transport: transport.make(), configuration: configuration)
        var random = SeededRandom(state: seed)
        let tally = Tally()
        var alive = 0
        for round in 1...rounds {
            var weak: [Weak] = []
            try await storm(session, server, &random, tally, &weak)
            alive += await remaining(weak)
            if round % 10 == 0 {
                print("round \(round): \(tally.summary), alive \(alive), peak \(peakMemory().formatted(0)) MiB")
            }
        }
        let listed = await session.requests.count
        await session.finish()
        await server.stop()
        if let statistics = await configuration.cache?.statistics { print("cache: \(statistics)") }
        let (ends, active) = (metrics.snapshot().outcomeDuration.count, metrics.snapshot().activeRequests.total)
        print("observed: \(ends) ends of \(rounds * requests) requests, \(active) transfers without an end")
        guard tally.late == 0, alive == 0, listed == 0, tally.unexpected == 0, ends == rounds * requests, active == 0
        else { throw ExitCode.failure }
        print("done: every await returned within a second of its cancel, no request is alive, each had one end")
    }

    private func storm(
        _ session: Session, _ server: MockServer, _ random: inout SeededRandom, _ tally: Tally, _ weak: inout [Weak]
    ) async throws {
        let paths = ["/fast", "/slow", "/redirect", "/large", "/refused"]
        var plans: [(DataRequest, Int, Int)] = []
        for _ in 0..<requests {
            var url = server.url(paths[Int.random(in: 0..<paths.count, using: &random)])
            // So many resources that some are in a cache and some are not.
            if cache != nil {
                let number = Int.random(in: 0..<20, using: &random)
                url.append(queryItems: [URLQueryItem(name: "n", value: "\(number)")])
            }
            plans.append(
                (
                    session.request(url), Int.random(in: 0..<4, using: &random),
                    Int.random(in: 0..<30_000, using: &random)
                ))
        }
        weak = plans.map { request, _, _ in
            let token = Token()
            request.validate { _, _, _ in withExtendedLifetime(token) {} }
            return Weak(token: token)
        }
        let cancelAllAfter = Int.random(in: 0..<60_000, using: &random)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                try? await Task.sleep(for: .microseconds(cancelAllAfter))
                await session.cancelAll()
            }
            for (request, way, delay) in plans {
                group.addTask { await cancelled(request, way, .microseconds(delay), tally) }
            }
        }
    }

    /// 0: the awaiting task is cancelled; 1: `cancel()`; 2: one of two waiters, then the other; 3: left to
    /// `cancelAll()`.
    private func cancelled(_ request: DataRequest, _ way: Int, _ delay: Duration, _ tally: Tally) async {
        let waiter = Task { await request.serializing(Data.self).result }
        let second = way == 2 ? Task { await request.serializing(String.self).result } : nil
        try? await Task.sleep(for: delay)
        let start = ContinuousClock.now
        switch way {
        case 0: waiter.cancel()
        case 1: await request.cancel()
        case 2:
            waiter.cancel()
            second?.cancel()
        default: break
        }
        tally.count(await waiter.value.map { _ in }, way < 3 ? ContinuousClock.now - start : .zero)
        if let second { tally.count(await second.value.map { _ in }, ContinuousClock.now - start) }
    }

    /// Requests end before their transfers do; those are given a moment.
    private func remaining(_ weak: [Weak]) async -> Int {
        for _ in 0..<200 {
            if weak.allSatisfy({ $0.token == nil }) { return 0 }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return weak.count { $0.token != nil }
    }
}

final class Tally: Sendable {
    private let isQuiet: Bool

    /// - Parameter quiet: Whether failures are what is expected.
    init(quiet: Bool = false) { isQuiet = quiet }

    private let counts = Mutex((finished: 0, cancelled: 0, late: 0, unexpected: 0, slowest: Duration.zero))

    func count(_ result: Result<Void, AsyncNetError>, _ time: Duration) {
        counts.withLock { counts in
            switch result {
            case .success: counts.finished += 1
            case .failure(let error) where error.code == .cancelled: counts.cancelled += 1
            case .failure(let error):
                counts.unexpected += 1
                if !isQuiet { print(error) }
            }
            if time > .seconds(1) { counts.late += 1 }
            counts.slowest = max(counts.slowest, time)
        }
    }

    var late: Int { counts.withLock { $0.late } }
    var unexpected: Int { counts.withLock { $0.unexpected } }

    var summary: String {
        counts.withLock {
            "finished \($0.finished), cancelled \($0.cancelled), late \($0.late), other errors \($0.unexpected), slowest \($0.slowest)"
        }
    }
}

/// SplitMix64: the same moments for the same seed.
struct SeededRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
