import ArgumentParser
import AsyncNet
import AsyncNetLibcurl
import AsyncNetTestSupport
import Foundation
import TextTable

struct Uploads: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Concurrent uploads while producers of other uploads sleep, or block their threads: latency.",
        discussion:
            "Rounds of each kind take turns in one run. A sleeping producer has given its first bytes and then waits until its round is over."
    )

    @Option(help: "How many uploads at a time.") var concurrency = 64
    @Option(help: "How many uploads a round.") var uploads = 1280
    @Option(help: "Rounds of each kind.") var rounds = 7
    @Option(help: "KiB an upload, as a stream of chunks of 4 KiB.") var kibibytes = 32

    enum Producer: String, CaseIterable {
        case none = "none"
        case sleeping = "one sleeps"
        case blocking = "one blocks its thread"
        case four = "four block their threads"
        var count: Int { self == .none ? 0 : self == .four ? 4 : 1 }
        var blocks: Bool { self == .blocking || self == .four }
    }

    struct Row {
        var transport: String
        var producer: String
        var median: Double
        var slowest: Double
        var ratio: Double
    }

    func run() async throws {
        var rows: [Row] = []
        for (name, session) in [
            ("sockets", Session(transport: .sockets())), ("libcurl", Session(transport: .libcurl())),
            ("URLSession", Session(transport: .urlSession)),
        ] {
            rows += try await measure(name, session)
            await session.finish()
        }
        TextTable<Row> {
            [
                Column("transport" <- $0.transport), Column("other producers" <- $0.producer),
                Column("median ms" <- $0.median.formatted(2), align: .right),
                Column("99 % ms" <- $0.slowest.formatted(2), align: .right),
                Column("× none" <- $0.ratio.formatted(2), align: .right),
            ]
        }.print(rows, style: Style.psql)
    }

    private func measure(_ name: String, _ session: Session) async throws -> [Row] {
        let server = try await MockServer.start(keptRequests: 100)
        await server.route("/*") { .text("\($0.body.count)") }
        var times: [Producer: [(median: Double, slowest: Double)]] = [:]
        for _ in 0..<rounds {
            for producer in Producer.allCases {
                times[producer, default: []].append(try await round(session, server, producer))
            }
        }
        await server.stop()
        let base = times[.none]?.map(\.median).median ?? .nan
        return Producer.allCases.map { producer in
            let median = times[producer]?.map(\.median).median ?? .nan
            return Row(
                transport: name, producer: producer.rawValue, median: median,
                slowest: times[producer]?.map(\.slowest).median ?? .nan, ratio: median / base)
        }
    }

    private func round(_ session: Session, _ server: MockServer, _ producer: Producer) async throws -> (
        median: Double, slowest: Double
    ) {
        let others = (0..<producer.count).map { _ in Waiting(blocks: producer.blocks) }
        let waiting = others.map { other in
            Task { try await session.upload(.stream(other), to: server.url()).serializing(Data.self).value }
        }
        for other in others { await other.isWaiting() }
        let latencies = try await latencies(session, server.url())
        for other in others { other.finish() }
        for task in waiting { _ = try await task.value }
        return (latencies.median, latencies.sorted()[latencies.count * 99 / 100])
    }

    private func latencies(_ session: Session, _ url: URL) async throws -> [Double] {
        let chunk = Data(count: 4096)
        return try await withThrowingTaskGroup(of: [Double].self) { group in
            for _ in 0..<concurrency {
                group.addTask {
                    var times: [Double] = []
                    for _ in 0..<(uploads / concurrency) {
                        let start = ContinuousClock.now
                        let chunks = AsyncStream<Data> {
                            for _ in 0..<(kibibytes / 4) { $0.yield(chunk) }
                            $0.finish()
                        }
                        _ = try await session.upload(.stream(chunks), to: url).serializing(Data.self).value
                        times.append((ContinuousClock.now - start) / .milliseconds(1))
                    }
                    return times
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }
}

/// A producer that gives some bytes and then waits, with its thread or without, until it may end.
private final class Waiting: AsyncSequence, Sendable {
    private let blocks: Bool
    private let release = DispatchSemaphore(value: 0)
    private let (ends, end) = AsyncStream.makeStream(of: Void.self)
    private let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)

    init(blocks: Bool) { self.blocks = blocks }

    func isWaiting() async {
        for await _ in arrivals { return }
    }

    func finish() {
        release.signal()
        end.finish()
    }

    private func block() { release.wait() }

    func makeAsyncIterator() -> Iterator { Iterator(producer: self) }

    struct Iterator: AsyncIteratorProtocol {
        let producer: Waiting
        var hasGiven = false

        mutating func next() async -> Data? {
            guard hasGiven else {
                hasGiven = true
                return Data(count: 4096)
            }
            producer.arrived.yield()
            if producer.blocks { producer.block() } else { for await _ in producer.ends {} }
            return nil
        }
    }
}
