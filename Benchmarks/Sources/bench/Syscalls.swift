import ArgumentParser
import AsyncNet
import Foundation

struct Syscalls: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "System calls per request of 1 KB from nginx, of the whole process (Linux; needs strace).",
        discussion: "Scripts/syscalls counts them; CI lets it check AsyncNet's with the `requests` of Examples.")

    @Option(help: "A client of the first table: AsyncNet, AsyncNet/libcurl, AsyncHTTPClient.")
    var client = "AsyncNet"
    @Option(help: "Requests that are counted, a multiple of 64.") var requests = 1920
    @Flag(help: "Fail where Scripts/syscalls.json allows less.") var check = false
    @Flag(help: .hidden) var apart = false
    /// Given by the script, which runs this program to count its calls: URL, requests, how many at a time, certificate.
    @Argument(help: .hidden) var exchange: [String] = []

    func run() async throws {
        guard exchange.isEmpty else { return try await makeRequests() }
        let options = ["--requests", "\(requests)"] + (check ? ["--check"] : [])
        let process = Process()
        process.executableURL = URL(filePath: #filePath).appending(path: "../../../../Scripts/syscalls").standardized
        process.arguments = options + [CommandLine.arguments[0], "syscalls", "--client", client]
        try process.run()
        process.waitUntilExit()
        throw ExitCode(process.terminationStatus)
    }

    private func makeRequests() async throws {
        guard exchange.count == 4, let url = URL(string: exchange[0]), let requests = Int(exchange[1]),
            let concurrency = Int(exchange[2])
        else { throw ValidationError("not what Scripts/syscalls gives: \(exchange)") }
        let client = try client(trusting: URL(filePath: exchange[3]))
        let perform = Self.request(Exchange(url: url, isDecoded: false), client, apart)
        try await bench.run(10 * concurrency, concurrency: concurrency, perform)
        try await bench.run(requests, concurrency: concurrency, perform)
        try await client.shutdown()
    }

    /// Apart as `requests` of Examples does it.
    private static func request(
        _ exchange: Exchange, _ client: any Client, _ apart: Bool
    ) -> @Sendable () async throws -> Void {
        guard apart else { return { try await client.perform(exchange) } }
        return {
            try await withTaskExecutorPreference(globalConcurrentExecutor) { try await client.perform(exchange) }
            usleep(1000)
        }
    }

    private func client(trusting certificate: URL) throws -> any Client {
        switch client {
        case "AsyncNet": AsyncNetClient.sockets(trusting: certificate)
        case "AsyncNet/libcurl": AsyncNetClient.libcurl(trusting: certificate)
        case AsyncHTTPClientClient.clientName: AsyncHTTPClientClient(trusting: certificate)
        default: throw ValidationError("no client \(client)")
        }
    }
}
