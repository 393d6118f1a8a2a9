import ArgumentParser
import AsyncNet
import AsyncNetTestSupport
import Foundation

struct Overhead: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "The cost of session, request and pipeline: requests over a transport that responds at once.")

    @Option(help: "Requests.") var requests = 100_000
    @Option(help: "How many at a time.") var concurrency = 16
    @Flag(help: "Leaves out the requests whose responses are decoded.") var alone = false

    struct Instant: Transport {
        let head: HTTPResponseHead
        let data: Data

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            TransportResponse(head: head, body: TransportBody(data))
        }
    }

    func run() async throws {
        let url = URL(string: "http://127.0.0.1/document.json")!
        let data = try JSONEncoder().encode(Document.sample)
        let session = Session(transport: Instant(head: HTTPResponseHead(statusCode: 200, url: url), data: data))
        try await measure("request alone") { _ = try await session.request(url).serializing(Data.self).value }
        guard !alone else { return }
        try await measure("with decoding") { _ = try await session.request(url).serializing(Document.self).value }
    }

    private func measure(_ name: String, _ fetch: @escaping @Sendable () async throws -> Void) async throws {
        try await bench.run(requests / 10, concurrency: concurrency, fetch)
        let measured = try await Measurement.of { try await bench.run(requests, concurrency: concurrency, fetch) }
        let (wall, cpu) = (measured.seconds / Double(requests) * 1e6, measured.cpuSeconds / Double(requests) * 1e6)
        print("\(name): \(wall.formatted(2)) µs, \(cpu.formatted(2)) µs of CPU a request")
    }
}
