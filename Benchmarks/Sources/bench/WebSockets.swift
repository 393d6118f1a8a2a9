import ArgumentParser
import AsyncNet
import Foundation
import TextTable

struct WebSockets: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "websockets",
        abstract: "Messages per second over one WebSocket, beside NIOWebSocket and Python's websockets.",
        discussion:
            "Needs python3 and openssl, and for Python's websockets `Scripts/websocket-conformance --install`. "
            + "Without compression, which NIOWebSocket does not have; NIOWebSocket does not check UTF-8 either.")

    /// What a client does with the messages.
    enum Way: String, CaseIterable, ExpressibleByArgument {
        /// Receives them all.
        case receive
        /// Sends them all, and waits for one message at the end.
        case send
        /// Sends each, and waits until it comes back.
        case echo
    }

    @Option(help: "receive, send or echo; repeatable. All by default.") var way: [Way] = Way.allCases
    @Option(help: "Messages a round.") var messages = 100_000
    @Option(help: "Bytes of each message.") var size = 1024
    @Option(help: "Rounds; the clients take turns in each.") var rounds = 7
    @Flag(help: "Over TLS.") var tls = false
    @Option(help: "Only clients whose name contains this; repeatable.") var only: [String] = []
    @Flag(help: "Only AsyncNet receives, and sleeps between messages: how much memory does it need? Needs `carrier`.")
    var sleeping = false

    struct Row {
        var way: String
        var client: String
        var messagesPerSecond: Double
        var spread: Double
        var ratio: Double
    }

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "asyncnet-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Nginx.makeCertificate(in: folder)
        let certificate = folder.appending(path: "certificate.pem")
        let server = try PeerProcess(
            "websocket-server", certificate.path, folder.appending(path: "certificate.key").path)
        defer { server.stop() }
        let ports = try server.readLine().split(separator: " ")
        let base = tls ? "wss://127.0.0.1:\(ports[1])" : "ws://127.0.0.1:\(ports[0])"
        if sleeping { return try sleep(base, certificate) }
        let clients = clients(certificate).filter { client in
            only.isEmpty || only.contains { client.name.contains($0) }
        }
        var rows: [Row] = []
        for way in way { rows += try await measure(way, base, clients) }
        show(rows)
        for client in clients { await client.shutdown() }
    }

    private func clients(_ certificate: URL) -> [any WebSocketClient] {
        [
            AsyncNetWebSockets(trusting: certificate), NIOWebSockets(certificate: certificate),
            PythonWebSockets(certificate: certificate),
        ]
    }

    private func measure(_ way: Way, _ base: String, _ clients: [any WebSocketClient]) async throws -> [Row] {
        let count = way == .echo ? messages / 10 : messages
        let exchange = WebSocketExchange(
            url: "\(base)/\(way.rawValue)/\(count)/\(size)", way: way, count: count, size: size)
        var seconds: [String: [Double]] = [:]
        for round in 0...rounds {
            for offset in clients.indices {
                let client = clients[(round + offset) % clients.count]
                let measured = try await client.perform(exchange)
                if round > 0 { seconds[client.name, default: []].append(measured) }
            }
        }
        return clients.map { client in
            let own = seconds[client.name] ?? []
            let rates = own.map { Double(count) / $0 }
            return Row(
                way: way.rawValue, client: client.name, messagesPerSecond: rates.median, spread: rates.spread,
                ratio: zip(seconds[clients[0].name] ?? [], own).map { $1 / $0 }.median)
        }
    }

    private func show(_ rows: [Row]) {
        TextTable<Row> {
            [
                Column("way" <- $0.way), Column("client" <- $0.client),
                Column("messages/s" <- $0.messagesPerSecond.formatted(0), align: .right),
                Column("± spread" <- "\(($0.spread * 100).formatted(0)) %", align: .right),
                Column("AsyncNet is × this" <- $0.ratio.formatted(2), align: .right),
            ]
        }.print(rows, style: Style.psql)
        print(
            "One WebSocket, \(tls ? "TLS" : "no TLS"), messages of \(size) bytes; medians of \(rounds) interleaved rounds."
        )
    }

    /// In a process of its own, whose memory is AsyncNet's alone.
    private func sleep(_ base: String, _ certificate: URL) throws {
        let carrier = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "carrier")
        let run = try Measured(
            carrier.path, ["sleep-websocket", "\(base)/receive/\(messages)/\(size)", certificate.path])
        guard run.output.hasPrefix("\(messages) messages") else {
            throw ValidationError("carrier printed \(run.output)")
        }
        print("\(run.output.trimmingCharacters(in: .newlines)); peak memory \(run.peakMiB.formatted(1)) MiB")
    }
}
