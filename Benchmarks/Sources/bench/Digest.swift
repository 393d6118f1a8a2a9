import ArgumentParser
import AsyncNet
import Foundation

struct Digest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The check of a download's SHA-256 and SHA-512 against sha256sum and sha512sum of the same file.",
        discussion: """
            A check's time is that of a download with a checksum, less that of one without. Built without -c release, it shows what a debugged app waits.
            """)

    @Option(help: "Size in MiB.") var mebibytes = 1024
    @Option(help: "Rounds; the programs take turns in each.") var rounds = 5
    @Option(help: "Where the file is; a folder in memory leaves the disk out of the measurement.") var folder =
        "/dev/shm"

    /// Responds at once with a body of equal chunks.
    struct Repeated: Transport {
        let head: HTTPResponseHead
        let chunk: Data
        let count: Int

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            let (chunk, count) = (chunk, count)
            let chunks = AsyncStream<Data> { continuation in
                for _ in 0..<count { continuation.yield(chunk) }
                continuation.finish()
            }
            return TransportResponse(head: head, body: TransportBody(chunks))
        }
    }

    func run() async throws {
        try await compare("sha256sum") { .sha256($0) }
        try await compare("sha512sum") { .sha512($0) }
    }

    private func compare(_ program: String, _ checksum: (String) -> Checksum) async throws {
        let file = URL(filePath: folder).appending(path: "asyncnet-digest-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let url = try "http://127.0.0.1/file".asURL()
        // The same memory for each chunk, as only its copy into the file counts.
        let piece = Data((0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 4) })
        let session = Session(
            transport: Repeated(head: HTTPResponseHead(statusCode: 200, url: url), chunk: piece, count: mebibytes))
        var (own, peer): ([Double], [Double]) = ([], [])
        for _ in 0..<rounds {
            let plain = try await download(session, url, file, nil)
            let measured = try Measured(program, [file.path])
            let text = measured.output.prefix { $0 != " " }
            try FileManager.default.removeItem(at: file)
            own.append(try await download(session, url, file, checksum(String(text))) - plain)
            try FileManager.default.removeItem(at: file)
            peer.append(measured.seconds)
        }
        report(program, own, peer)
    }

    private func download(_ session: Session, _ url: URL, _ file: URL, _ checksum: Checksum?) async throws -> Double {
        let start = ContinuousClock.now
        _ = try await session.download(url, to: .file(file), checksum: checksum).value
        return (ContinuousClock.now - start) / .seconds(1)
    }

    private func report(_ program: String, _ own: [Double], _ peer: [Double]) {
        let speeds = [own, peer].map { ($0.map { Double(mebibytes) / $0 }.median).formatted(0) }
        let ratio = zip(own, peer).map { $1 / $0 }.median.formatted(2)
        print("AsyncNet \(speeds[0]) MiB/s, \(program) \(speeds[1]) MiB/s: \(ratio) times as fast")
    }
}
