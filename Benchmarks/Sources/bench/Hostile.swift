import ArgumentParser
import AsyncHTTPClient
import AsyncNet
import Foundation
import NIOPosix
import Synchronization
import TextTable

struct Hostile: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "How healthy requests go on beside hostile servers, over one event loop.",
        discussion: """
            1 KB from nginx, 64 at a time, while requests to hostile servers run. Each server floods with one kind of bytes; \
            with four, four requests do. Cancels and deadlines of the hostile requests are timed too.
            """)

    @Option(help: "Seconds of each measurement.") var seconds = 2.0
    @Option(help: "How many hostile requests at a time; repeatable.") var hostile: [Int] = [1, 4]
    @Option(help: "Only these kinds: \(Hostility.allCases.map(\.rawValue).joined(separator: ", ")); repeatable.")
    var kind: [Hostility] = []
    @Option(help: "Only clients whose name contains this; repeatable.") var only: [String] = []

    struct Row {
        var client: String
        var kind: String
        var hostile: Int
        var ratio: Double
        var percentile99: Double
        var cancel: Double
    }

    func run() async throws {
        let nginx = try Nginx(files: Workload.files())
        defer { nginx.stop() }
        var rows: [Row] = []
        for name in ["AsyncNet", AsyncHTTPClientClient.clientName] where only.isEmpty || only.contains(name) {
            for kind in kind.isEmpty ? Hostility.allCases : kind {
                // AsyncHTTPClient speaks HTTP/2 over TLS only.
                if kind.isHTTP2, name != "AsyncNet" { continue }
                let healthy = nginx.url("document.json", kind.isHTTP2 ? .http2 : .plain)
                for count in hostile { rows.append(try await measure(name, kind, count, healthy)) }
            }
        }
        TextTable<Row> {
            [
                Column("client" <- $0.client), Column("server" <- $0.kind),
                Column("at a time" <- $0.hostile, align: .right),
                Column("rate, of the rate alone" <- $0.ratio.formatted(2), align: .right),
                Column("p99 ms" <- $0.percentile99.formatted(1), align: .right),
                Column("slowest cancel ms" <- $0.cancel.formatted(1), align: .right),
            ]
        }.print(rows, style: Style.psql)
    }

    private func client(_ name: String, isHTTP2: Bool) -> any Client {
        guard name == "AsyncNet" else { return OneLoopAsyncHTTPClient() }
        let version: SocketTransport.HTTPVersion = isHTTP2 ? .http2 : .automatic
        let transport = SocketTransport(.init(tls: .init(trust: .disabled), httpVersion: version, eventLoops: 1))
        let configuration = SessionConfiguration(retryBudget: nil)
        return AsyncNetClient(name: name, session: Session(transport: transport, configuration: configuration))
    }

    private func measure(_ name: String, _ kind: Hostility, _ count: Int, _ healthy: URL) async throws -> Row {
        let client = client(name, isHTTP2: kind.isHTTP2)
        let server = try HostileServer(kind)
        defer { server.stop() }
        let url = URL(string: "\(kind.isTLS ? "https" : "http")://127.0.0.1:\(server.port)/")!
        let alone = try await rate(client, healthy)
        let attackers = (0..<count).map { _ in
            Task {
                while !Task.isCancelled { try? await client.attack(url, reads: kind != .unread && kind != .unread2) }
            }
        }
        let beside = try await rate(client, healthy)
        let begin = ContinuousClock.now
        for attacker in attackers { attacker.cancel() }
        for attacker in attackers { await attacker.value }
        let cancel = (ContinuousClock.now - begin) / .milliseconds(1)
        try await client.shutdown()
        return Row(
            client: name, kind: kind.rawValue, hostile: count, ratio: beside.rate / alone.rate,
            percentile99: beside.percentile99, cancel: cancel)
    }

    private func rate(_ client: any Client, _ url: URL) async throws -> (rate: Double, percentile99: Double) {
        let times = Times()
        let (begin, end) = (ContinuousClock.now, ContinuousClock.now + .seconds(seconds))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    while ContinuousClock.now < end {
                        let start = ContinuousClock.now
                        try await client.perform(Exchange(url: url, isDecoded: false))
                        let time = (ContinuousClock.now - start) / .milliseconds(1)
                        times.all.withLock { $0.append(time) }
                    }
                }
            }
            try await group.waitForAll()
        }
        let sorted = times.all.withLock { $0.sorted() }
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        return (Double(sorted.count) / seconds, sorted.isEmpty ? .nan : sorted[sorted.count * 99 / 100])
    }
}

/// Milliseconds of all requests of a measurement.
private final class Times: Sendable {
    let all = Mutex<[Double]>([])
}

extension Client {
    /// A request that a hostile server responds to: read to its end, or not read.
    fileprivate func attack(_ url: URL, reads: Bool) async throws {
        guard let session = (self as? AsyncNetClient)?.session else {
            return try await (self as? OneLoopAsyncHTTPClient)?.attack(url, reads: reads) ?? ()
        }
        var body = session.stream(url).chunks.makeAsyncIterator()
        while try await body.next() != nil { if !reads { try await Task.sleep(for: .seconds(3600)) } }
    }
}

/// AsyncHTTPClient on one event loop, without verification of certificates.
private struct OneLoopAsyncHTTPClient: Client {
    let name = AsyncHTTPClientClient.clientName
    private let client: HTTPClient
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    init() {
        var configuration = HTTPClient.Configuration(certificateVerification: .none)
        configuration.httpVersion = .http1Only
        client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
    }

    func perform(_ exchange: Exchange) async throws {
        let response = try await client.execute(
            HTTPClientRequest(url: exchange.url.absoluteString), timeout: .seconds(60))
        _ = try await response.body.collect(upTo: 1 << 24)
    }

    func attack(_ url: URL, reads: Bool) async throws {
        let response = try await client.execute(HTTPClientRequest(url: url.absoluteString), timeout: .seconds(60))
        guard reads else {
            try await Task.sleep(for: .seconds(3600))
            return withExtendedLifetime(response) {}
        }
        for try await _ in response.body {}
    }

    func shutdown() async throws {
        try await client.shutdown()
        try await group.shutdownGracefully()
    }
}
