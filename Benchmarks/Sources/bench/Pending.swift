import ArgumentParser
import AsyncNet
import AsyncNetTesting
import Foundation

struct Pending: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Memory of requests that wait: for a transport that never responds, and for a connection of URLSession's.")

    @Option(help: "Requests.") var requests = 10_000

    func run() async throws {
        let stub = StubTransport { _ in .fault(.stall) }
        try await measure("waiting for an answer", Session(transport: stub), URL(string: "http://127.0.0.1/")!)
        let server = try await MockServer.start()
        await server.route("/") { _ in .fault(.stall) }
        let queued = Session(transport: .urlSession(.init(maximumTransfers: 1)))
        try await measure("waiting for a place", queued, server.url("/"))
        await server.stop()
    }

    private func measure(_ name: String, _ session: Session, _ url: URL) async throws {
        let before = peakMemory()
        let tasks = (0..<requests).map { _ in Task { await session.request(url).serializing(Data.self).result } }
        while await session.requests.count < requests { try await Task.sleep(for: .milliseconds(20)) }
        try await Task.sleep(for: .milliseconds(300))
        if ProcessInfo.processInfo.environment["PAUSE"] != nil { try await Task.sleep(for: .seconds(5)) }
        let bytes = (peakMemory() - before) * 1_048_576 / Double(requests)
        print("\(name): \(bytes.formatted(0)) bytes a request, the task that waits included")
        for task in tasks { task.cancel() }
        for task in tasks { _ = await task.value }
    }
}
