import ArgumentParser
import AsyncNet
import Foundation
import TextTable

struct Throughput: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Requests per second and CPU per request against nginx, beside the peers and a C program.",
        discussion: "URLSession on Linux trusts no certificate that it is given, so it is measured without TLS only.")

    @Option(help: "plain (HTTP/1.1), tls (HTTP/1.1 over TLS) or http2 (over TLS); repeatable.") var path: [Path] = [
        .plain
    ]
    @Option(help: "decode or bytes (1 KB), large (260 KB), post (1 KB), large-post (100 KB), cold (TLS); repeatable.")
    var workload: [Workload] = [.decode]
    @Option(help: "How many at a time; repeatable.") var concurrency: [Int] = [1, 16, 64]
    @Option(help: "Requests per client and round.") var requests = 1600
    @Option(help: "Rounds; the clients take turns in each.") var rounds = 9
    @Option(help: "Only the client of this name; repeatable.") var only: [String] = []
    @Flag(help: "Print JSON instead of a table.") var json = false

    struct Row: Codable {
        var path: String
        var workload: String
        var concurrency: Int
        var client: String
        var requestsPerSecond: Double
        var spread: Double
        var microsecondsOfCPU: Double
        /// Of the base client's, if both were measured.
        var throughputRatio: Double?
        var cpuRatio: Double?
        /// Of the C program's.
        var cpuRatioToC: Double?
    }

    /// The client that the others are compared with.
    private static let base = AsyncHTTPClientClient.clientName

    func run() async throws {
        let nginx = try Nginx(files: Workload.files())
        defer { nginx.stop() }
        var rows: [Row] = []
        for path in path {
            for workload in workload { rows += try await measure(workload, path, nginx) }
        }
        try show(rows)
    }

    private func measure(_ workload: Workload, _ path: Path, _ nginx: Nginx) async throws -> [Row] {
        let isPlain = path == .plain && workload != .cold
        let certificate = isPlain ? nil : nginx.certificate
        let clients = self.clients(trusting: certificate)
        let exchange = workload.exchange(with: nginx, over: path)
        var rows: [Row] = []
        for concurrency in concurrency {
            let round = Round(exchange: exchange, concurrency: concurrency, requests: max(requests, concurrency))
            let results = try await round.measure(clients, rounds, floor: workload.hasFloor, certificate)
            rows += self.rows(results, round).map { row in
                var row = row
                (row.path, row.workload) = (workload == .cold ? "tls" : path.rawValue, workload.rawValue)
                return row
            }
        }
        for client in clients { try await client.shutdown() }
        return rows
    }

    private func clients(trusting certificate: URL?) -> [any Client] {
        var clients: [any Client] = [
            AsyncNetClient.sockets(trusting: certificate), AsyncNetClient.libcurl(trusting: certificate),
            AsyncHTTPClientClient(trusting: certificate),
        ]
        if certificate == nil { clients += [AsyncNetClient.urlSession, URLSessionClient()] }
        return clients.filter { client in only.isEmpty || only.contains(client.name) }
    }

    private func rows(_ results: [(name: String, runs: [Measurement])], _ round: Round) -> [Row] {
        func runs(_ name: String) -> [Measurement]? { results.first { $0.name == name }?.runs }
        return results.map { name, own in
            let rates = own.map { Double(round.count) / $0.seconds }
            return Row(
                path: "", workload: "", concurrency: round.concurrency, client: name, requestsPerSecond: rates.median,
                spread: rates.spread, microsecondsOfCPU: own.map { $0.cpuSeconds / Double(round.count) * 1e6 }.median,
                throughputRatio: runs(Self.base).map { zip(own, $0).map { $1.seconds / $0.seconds }.median },
                cpuRatio: runs(Self.base).map { zip(own, $0).map { $0.cpuSeconds / $1.cpuSeconds }.median },
                cpuRatioToC: runs(Floor.name).map { zip(own, $0).map { $0.cpuSeconds / $1.cpuSeconds }.median })
        }
    }

    private func show(_ rows: [Row]) throws {
        guard !json else {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            return print(String(decoding: try encoder.encode(rows), as: UTF8.self))
        }
        TextTable<Row> {
            [
                Column("path" <- $0.path), Column("workload" <- $0.workload),
                Column("at a time" <- $0.concurrency, align: .right),
                Column("client" <- $0.client),
                Column("req/s" <- $0.requestsPerSecond.formatted(0), align: .right),
                Column("± spread" <- "\(($0.spread * 100).formatted(0)) %", align: .right),
                Column("× \(Self.base)" <- ($0.throughputRatio?.formatted(2) ?? ""), align: .right),
                Column("µs CPU/req" <- $0.microsecondsOfCPU.formatted(0), align: .right),
                Column("CPU × \(Self.base)" <- ($0.cpuRatio?.formatted(2) ?? ""), align: .right),
                Column("CPU × C" <- ($0.cpuRatioToC?.formatted(2) ?? ""), align: .right),
            ]
        }.print(rows, style: Style.psql)
        print(
            "Medians of \(rounds) interleaved rounds of \(requests) requests; ratios are medians of each round's ratio."
        )
    }
}

/// The requests that one client makes in one round.
struct Round {
    let exchange: Exchange
    let concurrency: Int
    let requests: Int

    /// Each of the tasks makes the same number of requests.
    var count: Int { requests / concurrency * concurrency }

    /// Each client's measurements, and the C program's if it is asked for and was built.
    func measure(_ clients: [any Client], _ rounds: Int, floor: Bool, _ certificate: URL?) async throws -> [(
        name: String, runs: [Measurement]
    )] {
        var results: [String: [Measurement]] = [:]
        for client in clients { try await perform(requests / 4, client) }
        for round in 0..<rounds {
            for offset in clients.indices {
                let client = clients[(round + offset) % clients.count]
                results[client.name, default: []].append(
                    try await Measurement.of { try await perform(requests, client) })
            }
            guard floor, let floor = try Floor.run(exchange.url, concurrency, requests, certificate: certificate) else {
                continue
            }
            results[Floor.name, default: []].append(floor)
        }
        return (clients.map(\.name) + [Floor.name]).compactMap { name in results[name].map { (name, $0) } }
    }

    private func perform(_ requests: Int, _ client: any Client) async throws {
        try await bench.run(requests, concurrency: concurrency) { [exchange] in try await client.perform(exchange) }
    }
}
