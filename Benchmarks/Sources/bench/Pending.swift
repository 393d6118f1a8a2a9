import ArgumentParser
import AsyncNet
import AsyncNetLibcurl
import AsyncNetTestSupport
import Foundation

struct Pending: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Memory of requests that wait, for a transport that never responds or for a connection, and of idle connections."
    )

    enum Wait: String, CaseIterable, ExpressibleByArgument {
        case transport, sockets, libcurl
        case urlSession = "urlsession"
        case idle
        case idleTLS = "idle-tls"
        case unread
    }

    @Option(help: "Requests, or connections.") var requests = 10_000
    @Option(
        help: """
            Measure only requests that wait for a transport that never responds (transport), or for the only \
            connection of sockets (sockets), libcurl (libcurl) or URLSession (urlsession); or only kept connections of \
            sockets (idle, idle-tls; Linux); or sixteen streams of nginx over HTTP/2 that nobody reads (unread).
            """) var only: Wait?

    func run() async throws {
        if let only {
            let bytes =
                switch only {
                case .idle, .idleTLS: try await idle(only == .idleTLS)
                case .unread: try await unread()
                default: try await bytes(only)
                }
            return print("\(only.rawValue): \(bytes.formatted(0)) bytes each")
        }
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
            case .libcurl: Session(transport: .libcurl(.init(maximumConnectionsPerOrigin: 1)))
            case .urlSession: Session(transport: .urlSession(.init(maximumTransfers: 1)))
            default: Session(transport: .sockets(.init(maximumConnectionsPerOrigin: 1)))
            }
        let bytes = try await bytes(of: session, server.url("/"))
        await server.stop()
        return bytes
    }

    private func unread() async throws -> Double {
        let nginx = try Nginx(files: Workload.files().merging(["large": Data(count: 64 << 20)]) { $1 })
        defer { nginx.stop() }
        let session = Session(transport: .sockets(.init(tls: .init(trust: .disabled), httpVersion: .http2)))
        let before = residentMemory()
        var bodies: [StreamChunks.Iterator] = []
        for _ in 0..<16 {
            var body = session.stream(nginx.url("large", .http2)).chunks.makeAsyncIterator()
            _ = try await body.next()
            bodies.append(body)
        }
        try await Task.sleep(for: .seconds(2))
        defer { withExtendedLifetime(bodies) {} }
        return (residentMemory() - before) / Double(bodies.count)
    }

    /// The server responds when all connections are open, so that no request uses the connection of another.
    private func idle(_ isTLS: Bool) async throws -> Double {
        let server = try ChildProcess(["serve", "--delay", "40000"] + (isTLS ? ["--tls"] : []))
        defer { server.stop() }
        let url = URL(string: "\(isTLS ? "https" : "http")://127.0.0.1:\(try server.readLine())/")!
        let session = Session(
            transport: .sockets(
                .init(
                    tls: .init(trust: .disabled), idleTimeout: .seconds(600), maximumConnectionsPerOrigin: requests,
                    maximumConnections: requests)),
            configuration: SessionConfiguration(timeout: .seconds(300)))
        let before = residentMemory()
        let failures = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<requests {
                group.addTask { (try? await session.request(url).serializing(Data.self).value) == nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        if failures > 0 { throw ValidationError("\(failures) requests failed") }
        return (residentMemory() - before) / Double(requests)
    }

    /// In bytes, with what the allocator keeps of the requests: an upper bound.
    private func residentMemory() -> Double {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return (Double(pages?.dropFirst().first ?? "") ?? .nan) * Double(getpagesize())
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
