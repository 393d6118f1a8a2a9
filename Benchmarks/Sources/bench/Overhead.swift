import ArgumentParser
import AsyncNet
import AsyncNetMonitors
import AsyncNetTestSupport
import Foundation

struct Overhead: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "The cost of session, request and pipeline: requests over a transport that responds at once.")

    @Option(help: "Requests.") var requests = 100_000
    @Option(help: "How many at a time.") var concurrency = 16
    @Flag(help: "Leaves out the requests whose responses are decoded.") var alone = false
    @Flag(help: "Measures the requests without a monitor and with each of several, in turn.") var monitored = false
    @Option(help: "Rounds with `--monitored`.") var rounds = 10

    struct Instant: Transport {
        let head: HTTPResponseHead
        let data: Data

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            if request.interests?.sentHeads == true {
                request.onEvent?(.sentHead(SentHead(requestLine: "GET /document.json HTTP/1.1", headers: [:])))
            }
            if request.interests != nil {
                request.onEvent?(.connected(ConnectionInfo(isReused: true, httpVersion: "HTTP/1.1")))
            }
            request.onEvent?(.metrics(TransportMetrics(httpVersion: "HTTP/1.1", isConnectionReused: true)))
            return TransportResponse(head: head, body: TransportBody(data))
        }
    }

    func run() async throws {
        let session = try session([])
        if monitored { return try await compare(session) }
        try await measure("request alone") { _ = try await session.request(Self.url).serializing(Data.self).value }
        guard !alone else { return }
        try await measure("with decoding", decoding(with: session))
    }

    private static let url = URL(string: "http://127.0.0.1/document.json")!

    private func session(_ monitors: [any EventMonitor]) throws -> Session {
        let head = HTTPResponseHead(statusCode: 200, url: Self.url)
        return Session(
            transport: Instant(head: head, data: try JSONEncoder().encode(Document.sample)),
            configuration: .init(monitors: monitors))
    }

    private func decoding(with session: Session) -> @Sendable () async throws -> Void {
        { _ = try await session.request(Self.url).serializing(Document.self).value }
    }

    private func measure(_ name: String, _ fetch: @escaping @Sendable () async throws -> Void) async throws {
        try await bench.run(requests / 10, concurrency: concurrency, fetch)
        let measured = try await Measurement.of { try await bench.run(requests, concurrency: concurrency, fetch) }
        let (wall, cpu) = (measured.seconds / Double(requests) * 1e6, measured.cpuSeconds / Double(requests) * 1e6)
        print("\(name): \(wall.formatted(2)) µs, \(cpu.formatted(2)) µs of CPU a request")
    }

    /// What each monitor adds in each round, so that a machine that becomes slower meanwhile does not count.
    private func compare(_ plain: Session) async throws {
        let sessions = [
            ("MetricsMonitor", try session([MetricsMonitor()])),
            ("counting", try session([CountingMonitor(.minimal)])),
            ("counting, standard", try session([CountingMonitor(.standard)])),
        ]
        var added = sessions.map { _ in (wall: [Double](), cpu: [Double]()) }
        for round in 0...rounds {
            let base = try await Measurement.of { try await run(plain) }
            for (index, (_, session)) in sessions.enumerated() {
                let measured = try await Measurement.of { try await run(session) }
                // The first round warms up.
                guard round > 0 else { continue }
                added[index].wall.append((measured.seconds - base.seconds) / Double(requests) * 1e6)
                added[index].cpu.append((measured.cpuSeconds - base.cpuSeconds) / Double(requests) * 1e6)
            }
        }
        for ((name, _), added) in zip(sessions, added) {
            print(
                "\(name) adds \(added.wall.median.formatted(2)) µs, \(added.cpu.median.formatted(2)) µs of CPU to a "
                    + "request that is decoded")
        }
        print("Medians of \(rounds) rounds of \(requests) requests.")
    }

    private func run(_ session: Session) async throws {
        try await bench.run(requests, concurrency: concurrency, decoding(with: session))
    }
}
