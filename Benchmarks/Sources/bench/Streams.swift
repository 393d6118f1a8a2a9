import ArgumentParser
import AsyncNet
import Foundation

struct Streams: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "A raw stream of many bytes each way, against socat.",
        discussion:
            "Needs socat and python3. Both receive from and send to the same Python server; the rounds alternate.")

    @Option(help: "Bytes each way.") var bytes = 1 << 30
    @Option(help: "Rounds.") var rounds = 5
    @Option(help: "The size of socat's buffer.") var socatBuffer = 262_144

    func run() async throws {
        let server = try PeerProcess("byte-server", "\(bytes)")
        defer { server.stop() }
        let ports = try server.readLine().split(separator: " ").map(String.init)
        let session = Session(transport: .sockets())
        var ratios: [[Double]] = [[], []]
        for round in 1...rounds {
            let own = [
                try await Measurement.of { try await receive(session, ports[0]) },
                try await Measurement.of { try await send(session, ports[1]) },
            ]
            let socat = [
                try await Measurement.of { try runSocat("TCP:127.0.0.1:\(ports[0])", "OPEN:/dev/null") },
                try await Measurement.of {
                    try runSocat("OPEN:/dev/zero,readbytes=\(bytes)", "TCP:127.0.0.1:\(ports[1])")
                },
            ]
            for way in 0..<2 { ratios[way].append(socat[way].seconds / own[way].seconds) }
            print(
                "round \(round): receiving \(rate(own[0])) MB/s, socat \(rate(socat[0])); "
                    + "sending \(rate(own[1])) MB/s, socat \(rate(socat[1]))")
        }
        await session.finish()
        print(
            "of socat's speed: receiving \(ratios[0].median.formatted(2)), sending \(ratios[1].median.formatted(2)); "
                + "peak memory \(peakMemory().formatted(0)) MiB")
    }

    private func rate(_ measurement: Measurement) -> String { (Double(bytes) / measurement.seconds / 1e6).formatted(0) }

    private func receive(_ session: Session, _ port: String) async throws {
        let connection = try await session.connect(to: "127.0.0.1", port: Int(port) ?? 0, tls: .none)
        var received = 0
        for try await piece in connection.bytes { received += piece.count }
        guard received == bytes else { throw ValidationError("\(received) bytes of \(bytes) were received") }
    }

    private func send(_ session: Session, _ port: String) async throws {
        let connection = try await session.connect(to: "127.0.0.1", port: Int(port) ?? 0, tls: .none)
        let block = Data(count: 1 << 17)
        for _ in 0..<bytes / block.count { try await connection.write(block) }
        try await connection.write(block.prefix(bytes % block.count))
        try await connection.finishWriting()
        guard try await connection.read()?.count == 1 else { throw ValidationError("the sink did not answer") }
    }

    private func runSocat(_ from: String, _ to: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["socat", "-u", "-b", "\(socatBuffer)", from, to]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw ValidationError("socat failed") }
    }
}

/// A program beside this package that serves until its standard input ends.
final class PeerProcess {
    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())

    init(_ name: String, _ arguments: String...) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        process.executableURL = folder.appending(path: name).standardizedFileURL
        process.arguments = arguments
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
    }

    func readLine() throws -> String {
        var line = Data()
        while line.last != 0x0A {
            let more = output.fileHandleForReading.readData(ofLength: 1)
            guard !more.isEmpty else { throw ValidationError("the peer ended without its ports") }
            line += more
        }
        return String(decoding: line.dropLast(), as: UTF8.self)
    }

    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
