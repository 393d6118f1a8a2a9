import ArgumentParser
import AsyncNet
import AsyncNetMonitors
import Foundation
import Synchronization
import TextTable

struct Monitors: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The cost of monitors over sockets: requests per second and allocations per request against nginx.")

    @Option(help: "plain (HTTP/1.1), tls (HTTP/1.1 over TLS) or http2 (over TLS).") var path = Path.plain
    @Option(help: "A workload of `bench throughput`.") var workload = Workload.decode
    @Option(help: "How many at a time.") var concurrency = 64
    @Option(help: "Requests per monitor and round.") var requests = 6400
    @Option(help: "Rounds; the monitors take turns in each.") var rounds = 15

    @Option(help: "Only monitors whose name contains this, besides none; repeatable.") var only: [String] = []
    @Option(
        help: ArgumentHelp(
            "Runs each monitor's rounds in a process of its own, next to one without a monitor, this many times.",
            discussion: "Sessions of one process differ by up to 2 percent even with the same monitors."))
    var pairs = 0
    @Option(help: .hidden) var alone: String?

    struct Row {
        var name: String
        var requestsPerSecond: Double
        var ratio: Double
        var cpuRatio: Double
        var allocations: Double?
    }

    func run() async throws {
        if pairs > 0, alone == nil { return try comparePairs() }
        let nginx = try Nginx(files: Workload.files())
        defer { nginx.stop() }
        let exchange = workload.exchange(with: nginx, over: path)
        let clients = AsyncNetClient.monitored(trusting: path == .plain ? nil : nginx.certificate).filter { client in
            if let alone { return client.name == alone }
            return client.name == "none" || only.isEmpty || only.contains { client.name.contains($0) }
        }
        let round = Round(exchange: exchange, concurrency: concurrency, requests: max(requests, concurrency))
        let results = try await round.measure(clients, rounds, floor: false, nil)
        for client in clients { try await client.shutdown() }
        if alone != nil { return try PairedRun(results[0].runs, round.count).print() }
        show(try results.map { name, runs in try row(name, runs, results[0].runs, round.count, exchange.url) })
    }

    private func row(_ name: String, _ runs: [Measurement], _ base: [Measurement], _ count: Int, _ url: URL) throws
        -> Row
    {
        Row(
            name: name, requestsPerSecond: runs.map { Double(count) / $0.seconds }.median,
            ratio: zip(base, runs).map { $0.seconds / $1.seconds }.median,
            cpuRatio: zip(runs, base).map { $0.cpuSeconds / $1.cpuSeconds }.median,
            allocations: path == .plain ? try? Allocations.row(of: name, url, requests: 2000).perRequest : nil)
    }

    private func show(_ rows: [Row]) {
        TextTable<Row> {
            [
                Column("monitor" <- $0.name),
                Column("req/s" <- $0.requestsPerSecond.formatted(0), align: .right),
                Column("× none" <- $0.ratio.formatted(3), align: .right),
                Column("CPU × none" <- $0.cpuRatio.formatted(3), align: .right),
                Column("allocations/request" <- ($0.allocations?.formatted(1) ?? ""), align: .right),
            ]
        }.print(rows, style: Style.psql)
        print(
            "Medians of \(rounds) interleaved rounds of \(requests) requests; ratios are medians of each round's ratio."
        )
    }
}

// MARK: In processes of their own

/// The figures of one process.
private struct PairedRun: Codable {
    let requestsPerSecond: Double
    let cpuSeconds: Double

    init(_ runs: [Measurement], _ count: Int) {
        requestsPerSecond = runs.map { Double(count) / $0.seconds }.median
        cpuSeconds = runs.map(\.cpuSeconds).reduce(0, +)
    }

    init(_ arguments: [String]) throws {
        let output = try Measured(CommandLine.arguments[0], arguments).output
        self = try JSONDecoder().decode(Self.self, from: Data(output.utf8))
    }

    func print() throws { Swift.print(String(decoding: try JSONEncoder().encode(self), as: UTF8.self)) }
}

extension Monitors {
    private func comparePairs() throws {
        let names = AsyncNetClient.monitored().map(\.name).filter { name in
            name != "none" && (only.isEmpty || only.contains { name.contains($0) })
        }
        for name in names {
            var ratios: (throughput: [Double], cpu: [Double]) = ([], [])
            for pair in 0..<pairs {
                // Each of the two is first in every other pair.
                let first = try measure(pair.isMultiple(of: 2) ? "none" : name)
                let second = try measure(pair.isMultiple(of: 2) ? name : "none")
                let (plain, monitored) = pair.isMultiple(of: 2) ? (first, second) : (second, first)
                ratios.throughput.append(monitored.requestsPerSecond / plain.requestsPerSecond)
                ratios.cpu.append(monitored.cpuSeconds / plain.cpuSeconds)
            }
            print(
                "\(name): \(ratios.throughput.median.formatted(3)) × the requests per second, "
                    + "\(ratios.cpu.median.formatted(3)) × the CPU of none (medians of \(pairs) pairs of processes)")
        }
    }

    private func measure(_ name: String) throws -> PairedRun {
        try PairedRun([
            "monitors", "--alone", name, "--path", path.rawValue, "--workload", workload.rawValue, "--concurrency",
            "\(concurrency)", "--requests", "\(requests)", "--rounds", "\(rounds)",
        ])
    }
}

/// Counts events.
final class CountingMonitor: EventMonitor {
    let interests: EventInterests
    private let count = Atomic(0)

    init(_ interests: EventInterests) { self.interests = interests }

    func receive(_ event: SessionEvent) { count.add(1, ordering: .relaxed) }
}

/// Blocks its thread for a second at each event.
private struct SleepingMonitor: EventMonitor {
    func receive(_ event: SessionEvent) { sleep(1) }
}

extension AsyncNetClient {
    /// A client without a monitor, the same again as a measure of the noise, and one for each kind of monitor.
    ///
    /// - Parameter certificate: The file of the only certificate that is trusted; `nil` trusts the system's.
    static func monitored(trusting certificate: URL? = nil) -> [AsyncNetClient] {
        let tls = certificate.map { TLSConfiguration(trust: .anchors(file: $0)) } ?? TLSConfiguration()
        let monitors: [(String, [any EventMonitor])] = [
            ("none", []), ("none again", []), ("counting", [CountingMonitor(.minimal)]),
            ("counting, standard", [CountingMonitor(.standard)]), ("sleeping", [SleepingMonitor()]),
            ("MetricsMonitor", [MetricsMonitor()]),
        ]
        return monitors.map { name, monitors in
            AsyncNetClient(
                name: name,
                session: Session(transport: .sockets(tls: tls), configuration: .init(monitors: monitors)))
        }
    }
}
