import ArgumentParser
import Foundation
import TextTable

struct Burst: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ten thousand requests at once to a server that responds after 50 ms: failures, time, peak memory.")

    @Option(help: "How many requests at once.") var requests = 10_000
    @Option(help: "Milliseconds before the server responds.") var delay = 50
    @Option(
        help:
            "Run one client in this process: asyncnet, asyncnet/libcurl, asyncnet/urlsession, urlsession or urlsession-128."
    )
    var client: String?
    @Option(help: .hidden) var port: Int?

    struct Row: Codable {
        var client: String
        var failed: Int
        var seconds: Double
        var cpuSeconds: Double
        var peakMiB: Double
    }

    func run() async throws {
        if let client, let port {
            let row = try await measure(client, URL(string: "http://127.0.0.1:\(port)/")!)
            return print(String(decoding: try JSONEncoder().encode(row), as: UTF8.self))
        }
        let server = try ChildProcess(["serve", "--delay", "\(delay)"])
        defer { server.stop() }
        let port = try server.readLine()
        let rows = try ["asyncnet", "asyncnet/libcurl", "asyncnet/urlsession", "urlsession", "urlsession-128"].map {
            client in
            let child = try ChildProcess(["burst", "--client", client, "--port", port, "--requests", "\(requests)"])
            defer { child.stop() }
            return try JSONDecoder().decode(Row.self, from: Data(child.readLine().utf8))
        }
        TextTable<Row> {
            [
                Column("client" <- $0.client), Column("failed" <- $0.failed, align: .right),
                Column("s" <- $0.seconds.formatted(1), align: .right),
                Column("s CPU" <- $0.cpuSeconds.formatted(1), align: .right),
                Column("peak MiB" <- $0.peakMiB.formatted(0), align: .right),
            ]
        }.print(rows, style: Style.psql)
    }

    private func measure(_ name: String, _ url: URL) async throws -> Row {
        let client: any Client =
            switch name {
            case "asyncnet": AsyncNetClient.sockets
            case "asyncnet/libcurl": AsyncNetClient.libcurl
            case "asyncnet/urlsession": AsyncNetClient.urlSession
            case "urlsession": URLSessionClient()
            case "urlsession-128": URLSessionClient(connectionsPerHost: 128)
            default: throw ValidationError("unknown client \(name)")
            }
        var failed = 0
        let measurement = await Measurement.of {
            failed = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<requests {
                    group.addTask {
                        do {
                            try await client.fetch(url)
                            return true
                        } catch { return false }
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 0 : 1) }
            }
        }
        return Row(
            client: name, failed: failed, seconds: measurement.seconds, cpuSeconds: measurement.cpuSeconds,
            peakMiB: peakMemory())
    }
}

/// This program again, with other arguments.
final class ChildProcess {
    private let process = Process()
    private let hasEnded = DispatchSemaphore(value: 0)
    private let output = Pipe()
    private let input = Pipe()
    private var buffer = Data()

    init(_ arguments: [String]) throws {
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = arguments
        process.standardOutput = output
        process.standardInput = input
        process.terminationHandler = { [hasEnded] _ in hasEnded.signal() }
        try process.run()
    }

    func readLine() throws -> String {
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                defer { buffer.removeSubrange(...end) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw ValidationError("a child process ended without a result") }
            buffer.append(more)
        }
    }

    /// Closes its input, at which it ends.
    func stop() {
        try? input.fileHandleForWriting.close()
        hasEnded.wait()
    }
}
