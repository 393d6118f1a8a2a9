import ArgumentParser
import AsyncNet
import Foundation
import TextTable

struct Instructions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Instructions per request of 1 KB of JSON from nginx, decoded, with and without monitors.",
        discussion:
            "Needs valgrind, which counts those of the program, not the kernel's: less noise than `bench monitors`, "
            + "and more than the part of the time that a monitor needs. "
            + "The difference of two runs is counted, so that what starts and ends a process is not.")

    @Option(help: "Requests whose instructions are counted.") var requests = 1920
    @Option(help: "How many at a time.") var concurrency = 64
    @Option(help: "Only monitors whose name contains this, besides none; repeatable.") var only: [String] = []
    @Option(help: .hidden) var client: String?
    @Option(help: .hidden) var url: String?

    struct Row {
        var name: String
        var instructions: Double
        var part: Double
    }

    func run() async throws {
        if let client, let url { return try await perform(client, URL(string: url)!) }
        let nginx = try Nginx(files: Workload.files())
        defer { nginx.stop() }
        let names = AsyncNetClient.monitored().map(\.name).filter { name in
            name == "none" || only.isEmpty || only.contains { name.contains($0) }
        }
        let counts = try names.map { try perRequest($0, nginx.url("document.json")) }
        let rows = zip(names, counts).map { Row(name: $0, instructions: $1, part: $1 / counts[0] - 1) }
        TextTable<Row> {
            [
                Column("monitor" <- $0.name),
                Column("instructions/request" <- $0.instructions.formatted(0), align: .right),
                Column("more than none" <- "\(($0.part * 100).formatted(1)) %", align: .right),
            ]
        }.print(rows, style: Style.psql)
    }

    private func perRequest(_ client: String, _ url: URL) throws -> Double {
        let fewer = requests / 3
        let (short, long) = (try total(client, url, fewer), try total(client, url, fewer + requests))
        return (long - short) / Double(requests / concurrency * concurrency)
    }

    /// What callgrind counts for a process that makes so many requests.
    private func total(_ client: String, _ url: URL, _ requests: Int) throws -> Double {
        let file = FileManager.default.temporaryDirectory.appending(path: "callgrind-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let program = [
            "instructions", "--client", client, "--url", url.absoluteString, "--requests", "\(requests)",
            "--concurrency", "\(concurrency)",
        ]
        _ = try Measured(
            "/usr/bin/env",
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=\(file.path)", CommandLine.arguments[0]] + program)
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        guard let line = lines.last(where: { $0.hasPrefix("totals:") }), let count = Double(line.dropFirst(8)) else {
            throw ValidationError("callgrind wrote no total")
        }
        return count
    }

    private func perform(_ name: String, _ url: URL) async throws {
        let clients = AsyncNetClient.monitored()
        guard let client = clients.first(where: { $0.name == name }) else { throw ValidationError("no client \(name)") }
        try await bench.run(requests, concurrency: concurrency) { try await client.fetch(url) }
        for client in clients { try await client.shutdown() }
    }
}
