import ArgumentParser
import AsyncNet
import AsyncNetTestSupport
import Foundation

struct Pending: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Memory of requests that wait: for a transport that never responds, and for a connection.")

    enum Wait: String, CaseIterable, ExpressibleByArgument {
        case transport, libcurl
        case urlSession = "urlsession"
    }

    @Option(help: "Requests.") var requests = 10_000
    @Option(
        help: """
            Measure only requests that wait for a transport that never responds (transport), or for the only \
            connection of libcurl's (libcurl) or URLSession's (urlsession).
            """) var only: Wait?

    func run() async throws {
        if let only { return print("\(only.rawValue): \(try await bytes(only).formatted(0)) bytes a request") }
        // The peak of one measurement would hide that of the next one.
        for wait in Wait.allCases {
            let child = try ChildProcess(["pending", "--only", wait.rawValue, "--requests", "\(requests)"])
            defer { child.stop() }
            print(try child.readLine())
        }
        print("The tasks that wait are included.")
    }

    private func bytes(_ wait: Wait) async throws -> Double {
        let server = try await MockServer.start()
        await server.route("/") { _ in .fault(.stall) }
        let session: Session =
            switch wait {
            case .transport: Session(transport: SilentTransport())
            case .libcurl: Session(transport: .libcurl(.init(maximumConnectionsPerHost: 1)))
            case .urlSession: Session(transport: .urlSession(.init(maximumTransfers: 1)))
            }
        let bytes = try await bytes(of: session, server.url("/"))
        await server.stop()
        return bytes
    }

    private func bytes(of session: Session, _ url: URL) async throws -> Double {
        let before = peakMemory()
        let tasks = (0..<requests).map { _ in Task { await session.request(url).serializing(Data.self).result } }
        while await session.requests.count < requests { try await Task.sleep(for: .milliseconds(20)) }
        try await Task.sleep(for: .milliseconds(300))
        let bytes = (peakMemory() - before) * 1_048_576 / Double(requests)
        for task in tasks { task.cancel() }
        for task in tasks { _ = await task.value }
        return bytes
    }
}

private struct SilentTransport: Transport {
    var transportDescription: String { "silent" }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        try await Task.sleep(for: .seconds(86_400))
        throw AsyncNetError(.timedOut)
    }

    func shutdown() async {}
}
