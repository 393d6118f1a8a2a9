import ArgumentParser
import AsyncNet
import Foundation
import TextTable

struct WarmUp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The first and the second request of new sessions over TLS, with and without warmUp before them.")

    @Option(help: "How many sessions of each kind.") var sessions = 200
    @Option(help: "Milliseconds of rest before each request: a server ends its part of a handshake after the client.")
    var rest = 10

    struct Row {
        var name: String
        var first: [Double]
        var second: [Double]
    }

    func run() async throws {
        let nginx = try Nginx(files: ["document.json": Data(count: 1000)])
        defer { nginx.stop() }
        var (cold, warm) = (Row(name: "cold", first: [], second: []), Row(name: "warm", first: [], second: []))
        for server in [Nginx.Server.tls, .http2] {
            for index in 0..<(sessions + 10) {
                let (plain, warmed) = try await (pair(nginx, server, false), pair(nginx, server, true))
                // What a process does once is not measured.
                guard index >= 10 else { continue }
                cold.first.append(plain.0)
                cold.second.append(plain.1)
                warm.first.append(warmed.0)
                warm.second.append(warmed.1)
            }
            TextTable<Row> {
                [
                    Column("\(server)" <- $0.name), Column("first µs" <- $0.first.median.formatted(0), align: .right),
                    Column("second µs" <- $0.second.median.formatted(0), align: .right),
                    Column("first / second" <- ($0.first.median / $0.second.median).formatted(2), align: .right),
                ]
            }.print([cold, warm], style: Style.psql)
            (cold.first, cold.second, warm.first, warm.second) = ([], [], [], [])
        }
    }

    /// The microseconds of two requests.
    private func pair(_ nginx: Nginx, _ server: Nginx.Server, _ warms: Bool) async throws -> (Double, Double) {
        let tls = TLSConfiguration(trust: .anchors([try String(contentsOf: nginx.certificate, encoding: .utf8)]))
        let session = Session(transport: .sockets(tls: tls))
        let url = nginx.url("document.json", server)
        if warms { try await session.warmUp(url) }
        var times: [Double] = []
        for _ in 0..<2 {
            try await Task.sleep(for: .milliseconds(rest))
            let start = ContinuousClock.now
            _ = try await session.request(url).serializing(Data.self).value
            times.append(start.duration(to: .now) / .microseconds(1))
        }
        await session.finish()
        return (times[0], times[1])
    }
}
