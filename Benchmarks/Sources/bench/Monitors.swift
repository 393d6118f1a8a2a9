import ArgumentParser
import AsyncNet
import Foundation
import Synchronization
import TextTable

struct Monitors: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "What observing costs: requests per second and CPU without a monitor and with several, over libcurl.",
        discussion: "The monitors take turns in one run; ratios are medians of each round's ratio to no monitor.")

    @Option(help: "How many at a time; repeatable.") var concurrency: [Int] = [64]
    @Option(help: "Requests per monitor and round.") var requests = 4000
    @Option(help: "Rounds.") var rounds = 9
    @Option(help: "plain, tls or http2; repeatable.") var path: [Path] = [.plain]
    @Option(help: "The workloads of `bench throughput`; repeatable.") var workload: [Workload] = [.bytes]

    struct Row {
        var path: String
        var workload: String
        var concurrency: Int
        var monitor: String
        var rate: Double
        var spread: Double
        var throughputRatio: Double
        var cpuRatio: Double
    }

    func run() async throws {
        let nginx = try Nginx(files: Workload.files())
        defer { nginx.stop() }
        var rows: [Row] = []
        for path in path {
            for workload in workload {
                for concurrency in concurrency { rows += try await measure(workload, path, concurrency, nginx) }
            }
        }
        show(rows)
    }

    private func measure(_ workload: Workload, _ path: Path, _ concurrency: Int, _ nginx: Nginx) async throws -> [Row] {
        let clients = clients(trusting: path == .plain ? nil : nginx.certificate)
        let round = Round(
            exchange: workload.exchange(with: nginx, over: path), concurrency: concurrency, requests: requests)
        let results = try await round.measure(clients, rounds, floor: false, nil)
        for client in clients { try await client.shutdown() }
        guard let base = results.first?.runs else { return [] }
        return results.map { name, own in
            let rates = own.map { Double(round.count) / $0.seconds }
            return Row(
                path: path.rawValue, workload: workload.rawValue, concurrency: concurrency, monitor: name,
                rate: rates.median, spread: rates.spread,
                throughputRatio: zip(own, base).map { $1.seconds / $0.seconds }.median,
                cpuRatio: zip(own, base).map { $0.cpuSeconds / $1.cpuSeconds }.median)
        }
    }

    private func clients(trusting certificate: URL?) -> [any Client] {
        let tls = certificate.map { TLSConfiguration(trust: .anchors(file: $0)) } ?? TLSConfiguration()
        let monitors: [(String, [any EventMonitor])] = [
            ("none", []), ("none again", []), ("counts, minimal", [CountingMonitor(interests: .minimal)]),
            ("counts, standard", [CountingMonitor(interests: .standard)]), ("sleeps a second", [SleepingMonitor()]),
        ]
        return monitors.map { name, monitors in
            let configuration = SessionConfiguration(monitors: monitors)
            return AsyncNetClient(
                name: name, session: Session(transport: .libcurl(tls: tls), configuration: configuration))
        }
    }

    private func show(_ rows: [Row]) {
        TextTable<Row> {
            [
                Column("path" <- $0.path), Column("workload" <- $0.workload),
                Column("at a time" <- $0.concurrency, align: .right), Column("monitor" <- $0.monitor),
                Column("req/s" <- $0.rate.formatted(0), align: .right),
                Column("± spread" <- "\(($0.spread * 100).formatted(0)) %", align: .right),
                Column("× none" <- $0.throughputRatio.formatted(3), align: .right),
                Column("CPU × none" <- $0.cpuRatio.formatted(3), align: .right),
            ]
        }.print(rows, style: Style.psql)
    }
}

/// Counts its events.
final class CountingMonitor: EventMonitor {
    let interests: EventInterests
    private let count = Atomic(0)

    init(interests: EventInterests) { self.interests = interests }

    func receive(_ event: SessionEvent) { count.add(1, ordering: .relaxed) }
}

/// Takes a second for each event, in which it blocks its thread.
struct SleepingMonitor: EventMonitor {
    func receive(_ event: SessionEvent) { sleep(1) }
}
