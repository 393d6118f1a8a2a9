import ArgumentParser
import AsyncNet
import Foundation
import Synchronization

struct Sockets: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Raw streams opened, used and cancelled at random: are descriptors and memory flat?",
        discussion: "Needs python3. Fails if the last rounds need clearly more than the first.")

    @Option(help: "Rounds.") var rounds = 10
    @Option(help: "Connections a round, all at the same time.") var connections = 1000
    @Option(help: "Seed of the random moments.") var seed: UInt64 = 1

    func run() async throws {
        let server = try PeerProcess("byte-server", "1")
        defer { server.stop() }
        let port = try server.readLine().split(separator: " ").last.flatMap { Int($0) } ?? 0
        let session = Session(transport: .sockets())
        var samples: [Soak.Sample] = []
        for round in 1...rounds {
            let tally = await storm(session, port, seed &+ UInt64(round))
            samples.append(Soak.sample())
            print(
                "round \(round): \(tally.echoed) echoed, \(tally.cancelled) cancelled, \(tally.failed) failed; "
                    + "\(samples[round - 1].descriptors) descriptors, \(samples[round - 1].mebibytes.formatted(1)) MiB")
            guard tally.failed == 0, tally.echoed + tally.cancelled == connections else { throw ExitCode.failure }
        }
        await session.finish()
        let rest = Soak.sample()
        print("after finish: \(rest.descriptors) descriptors, \(rest.mebibytes.formatted(1)) MiB")
        let (first, last) = (samples[min(1, rounds - 1)], samples[rounds - 1])
        guard last.descriptors <= first.descriptors + 16, last.mebibytes < first.mebibytes * 1.1 + 2 else {
            throw ExitCode.failure
        }
    }

    private struct Tally: Sendable { var (echoed, cancelled, failed) = (0, 0, 0) }

    private func storm(_ session: Session, _ port: Int, _ seed: UInt64) async -> Tally {
        var random = SeededRandom(state: seed)
        let tasks = (0..<connections).map { number in
            let task = Task { try await use(session, port, number) }
            let delay = Int.random(in: 0...400, using: &random)
            guard number % 2 == 0 else { return task }
            Task {
                try? await Task.sleep(for: .milliseconds(delay))
                task.cancel()
            }
            return task
        }
        var tally = Tally()
        for task in tasks {
            do {
                try await task.value
                tally.echoed += 1
            } catch {
                if (error as? AsyncNetError)?.code == .cancelled {
                    tally.cancelled += 1
                } else {
                    tally.failed += 1
                    print(error)
                }
            }
        }
        return tally
    }

    private func use(_ session: Session, _ port: Int, _ number: Int) async throws {
        let connection = try await session.connect(to: "127.0.0.1", port: port, tls: .none)
        let sent = Data("\(number) ".utf8) + Data(count: number * 37)
        try await connection.write(sent)
        try await connection.finishWriting()
        var received = Data()
        for try await bytes in connection.bytes { received += bytes }
        guard received == sent else { throw ValidationError("\(received.count) bytes of \(sent.count) came back") }
    }
}
