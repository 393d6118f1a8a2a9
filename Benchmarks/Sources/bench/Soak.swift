import ArgumentParser
import AsyncNet
import AsyncNetTestSupport
import Foundation

struct Soak: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Mixed load with faults and cancels for minutes: are descriptors and memory flat?",
        discussion: "Prints a line every ten seconds; fails if the last third needs clearly more than the first.")

    @Option(help: "Minutes.") var minutes = 10.0
    @Option(help: "Requests at a time.") var concurrency = 64
    @Option(help: "sockets, libcurl or urlsession.") var transport = Carrier.sockets
    @Option(help: "Seed of the order of requests and faults.") var seed: UInt64 = 1

    private static let paths = [
        "/fast", "/slow", "/redirect", "/large", "/refused", "/chunked", "/closeBeforeHead", "/resetBeforeHead",
        "/resetMidBody", "/truncate", "/garbage", "/stall",
    ]

    struct Sample {
        var descriptors: Int
        var mebibytes: Double
    }

    func run() async throws {
        let child = try ChildProcess(["serve", "--delay", "5"])
        defer { child.stop() }
        let base = "http://127.0.0.1:\(try child.readLine())"
        let session = Session(transport: transport.make())
        let (tally, end) = (Tally(quiet: true), ContinuousClock.now + .seconds(minutes * 60))
        let workers = (0..<concurrency).map { index in
            Task {
                var random = SeededRandom(state: seed &* 1_000_003 &+ UInt64(index))
                while ContinuousClock.now < end { await one(session, base, &random, tally) }
            }
        }
        var samples: [Sample] = []
        while ContinuousClock.now < end {
            try await Task.sleep(for: .seconds(min(10, minutes * 6)))
            samples.append(Self.sample())
            print(
                "\(samples.count): descriptors \(samples[samples.count - 1].descriptors), \(samples[samples.count - 1].mebibytes.formatted(1)) MiB; \(tally.summary)"
            )
        }
        for worker in workers { await worker.value }
        await session.finish()
        try judge(samples)
    }

    /// What the last third needs at most, against the first.
    private func judge(_ samples: [Sample]) throws {
        let third = max(1, samples.count / 3)
        let (first, last) = (samples.prefix(third), samples.suffix(third))
        let memory = (first.map(\.mebibytes).max() ?? 0, last.map(\.mebibytes).max() ?? 0)
        let descriptors = (first.map(\.descriptors).max() ?? 0, last.map(\.descriptors).max() ?? 0)
        print(
            "first third: \(descriptors.0) descriptors, \(memory.0.formatted(1)) MiB; last: \(descriptors.1), \(memory.1.formatted(1)) MiB"
        )
        guard memory.1 < memory.0 * 1.1 + 2, descriptors.1 <= descriptors.0 + 16 else { throw ExitCode.failure }
    }

    private func one(_ session: Session, _ base: String, _ random: inout SeededRandom, _ tally: Tally) async {
        let path = Self.paths[Int.random(in: 0..<Self.paths.count, using: &random)]
        let isPost = Int.random(in: 0..<4, using: &random) == 0
        let url = "\(base)\(path)"
        let request = isPost ? session.upload(.data(Data(count: 40_000)), to: url) : session.request(url)
        let isCancelled = path == "/stall" || Int.random(in: 0..<5, using: &random) == 0
        let delay = Int.random(in: 0..<20_000, using: &random)
        let waiter = Task { await request.serializing(Data.self).result }
        if isCancelled {
            try? await Task.sleep(for: .microseconds(delay))
            waiter.cancel()
        }
        tally.count(await waiter.value.map { _ in }, .zero)
    }

    static func sample() -> Sample {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        let kibibytes = line.split(separator: " ").compactMap { Double($0) }.first ?? 0
        return Sample(descriptors: descriptors, mebibytes: kibibytes / 1024)
    }
}
