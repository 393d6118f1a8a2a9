import ArgumentParser
import AsyncNet
import Foundation
import TextTable

struct Allocations: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Allocations per request of 1 KB of JSON from nginx, decoded, of every library in the process (glibc only)."
    )

    @Option(help: "Requests that are counted.") var requests = 2000
    @Option(help: .hidden) var client: String?
    @Option(help: .hidden) var url: String?

    struct Row: Codable {
        var client: String
        var perRequest: Double
        var undecoded: Double
    }

    func run() async throws {
        if let client, let url { return try await count(client, URL(string: url)!) }
        let nginx = try Nginx(files: ["document.json": JSONEncoder().encode(Document.sample)])
        defer { nginx.stop() }
        let rows = try ["AsyncNet", "AsyncNet/libcurl", "AsyncNet/URLSession", "AsyncHTTPClient", "URLSession"].map {
            try Self.row(of: $0, nginx.url("document.json"), requests: requests)
        }
        TextTable<Row> {
            [
                Column("client" <- $0.client),
                Column("allocations/request" <- $0.perRequest.formatted(1), align: .right),
                Column("of them not for decoding" <- $0.undecoded.formatted(1), align: .right),
            ]
        }.print(rows, style: Style.psql)
    }

    /// Counts the allocations of a client in a process of its own.
    static func row(of client: String, _ url: URL, requests: Int) throws -> Row {
        let library = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
            path: "libCountedMalloc.so"
        ).path
        let arguments = [
            "LD_PRELOAD=\(library)", CommandLine.arguments[0], "allocations", "--client", client, "--url",
            url.absoluteString, "--requests", "\(requests)",
        ]
        return try JSONDecoder().decode(Row.self, from: Data(Measured("/usr/bin/env", arguments).output.utf8))
    }

    /// Decoding is counted by itself, with what the client uses for it, and subtracted.
    private func count(_ name: String, _ url: URL) async throws {
        guard let symbol = dlsym(nil, "counted_allocations") else {
            throw ValidationError("libCountedMalloc.so is not preloaded")
        }
        let allocations = unsafeBitCast(symbol, to: (@convention(c) () -> Int).self)
        let clients: [any Client] =
            [
                AsyncNetClient.sockets, AsyncNetClient.libcurl, AsyncNetClient.urlSession, AsyncHTTPClientClient(),
                URLSessionClient(),
            ]
            + AsyncNetClient.monitored()
        guard let client = clients.first(where: { $0.name == name }) else { throw ValidationError("no client \(name)") }
        for _ in 0..<200 { try await client.fetch(url) }
        let before = allocations()
        for _ in 0..<requests { try await client.fetch(url) }
        let after = allocations()
        let data = try JSONEncoder().encode(Document.sample)
        for _ in 0..<10 { try client.decode(data) }
        let beforeDecoding = allocations()
        for _ in 0..<requests { try client.decode(data) }
        let decoding = Double(allocations() - beforeDecoding) / Double(requests)
        let all = Double(after - before) / Double(requests)
        print(
            String(
                decoding: try JSONEncoder().encode(Row(client: name, perRequest: all, undecoded: all - decoding)),
                as: UTF8.self))
        for client in clients { try await client.shutdown() }
    }
}

extension Client {
    fileprivate func decode(_ data: Data) throws {
        if self is AsyncNetClient {
            _ = try StandardJSONDecoder().decode(Document.self, from: data)
        } else {
            _ = try JSONDecoder().decode(Document.self, from: data)
        }
    }
}
