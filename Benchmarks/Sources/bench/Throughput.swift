import ArgumentParser
import AsyncNet
import Foundation
import TextTable

struct Throughput: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Requests per second and CPU per request: 1 KB of JSON from nginx, decoded into a struct.")

    @Option(help: "How many at a time; repeatable.") var concurrency: [Int] = [1, 16, 64]
    @Option(help: "Requests per client and round.") var requests = 1600
    @Option(help: "Rounds; the clients take turns in each.") var rounds = 9
    @Option(help: "Only clients whose name contains this; repeatable.") var only: [String] = []
    @Flag(help: "Print JSON instead of a table.") var json = false

    struct Row: Codable {
        var client: String
        var concurrency: Int
        var requestsPerSecond: Double
        var spread: Double
        var microsecondsOfCPU: Double
        var throughputRatio: Double
        var cpuRatio: Double
    }

    func run() async throws {
        let nginx = try Nginx(files: ["document.json": JSONEncoder().encode(Document.sample)])
        defer { nginx.stop() }
        var clients: [any Client] = [
            AsyncNetClient.libcurl, AsyncNetClient.urlSession, AsyncHTTPClientClient(), URLSessionClient(),
        ]
        let unused = clients.filter { client in !only.isEmpty && !only.contains { client.name.contains($0) } }
        clients.removeAll { client in unused.contains { $0.name == client.name } }
        let url = nginx.url("document.json")
        var rows: [Row] = []
        for concurrency in concurrency { rows += try await measure(clients, url, concurrency) }
        for client in clients + unused { try await client.shutdown() }
        try show(rows)
    }

    private func measure(_ clients: [any Client], _ url: URL, _ concurrency: Int) async throws -> [Row] {
        var results: [String: [Measurement]] = [:]
        let requests = max(requests, concurrency)
        for client in clients {
            try await bench.run(requests / 4, concurrency: concurrency) { _ = try await client.fetch(url) }
        }
        for round in 0..<rounds {
            for offset in clients.indices {
                let client = clients[(round + offset) % clients.count]
                let measurement = try await Measurement.of {
                    try await bench.run(requests, concurrency: concurrency) { _ = try await client.fetch(url) }
                }
                results[client.name, default: []].append(measurement)
            }
            if let floor = try Floor.run(url, concurrency, requests) { results[Floor.name, default: []].append(floor) }
        }
        let count = Double(requests / concurrency * concurrency)
        let base = results["URLSession"]
        return (clients.map(\.name) + [Floor.name]).compactMap { name in
            guard let own = results[name] else { return nil }
            let rates = own.map { count / $0.seconds }
            let ratios = zip(own, base ?? own).map { $1.seconds / $0.seconds }
            let cpuRatios = zip(own, base ?? own).map { $0.cpuSeconds / $1.cpuSeconds }
            return Row(
                client: name, concurrency: concurrency, requestsPerSecond: rates.median, spread: rates.spread,
                microsecondsOfCPU: own.map { $0.cpuSeconds / count * 1e6 }.median,
                throughputRatio: ratios.median, cpuRatio: cpuRatios.median)
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
                Column("at a time" <- $0.concurrency, align: .right),
                Column("client" <- $0.client),
                Column("req/s" <- $0.requestsPerSecond.formatted(0), align: .right),
                Column("± spread" <- "\(($0.spread * 100).formatted(0)) %", align: .right),
                Column("× URLSession" <- $0.throughputRatio.formatted(2), align: .right),
                Column("µs CPU/req" <- $0.microsecondsOfCPU.formatted(0), align: .right),
                Column("CPU × URLSession" <- $0.cpuRatio.formatted(2), align: .right),
            ]
        }.print(rows, style: Style.psql)
        print(
            "Medians of \(rounds) interleaved rounds of \(requests) requests; ratios are medians of each round's ratio."
        )
    }
}
