import ArgumentParser
import AsyncNet
import AsyncNetTestSupport
import Foundation

/// The server of ``Burst``, as a process of its own so that its memory and CPU are not the client's.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "A server that responds after a delay; for burst and pending.", shouldDisplay: false)

    @Option(help: "Milliseconds before each response.") var delay = 50
    @Flag(help: "Speaks TLS.") var tls = false

    /// For ``Soak``.
    private static let faults: [(String, MockResponse)] = [
        ("/fast", .text("fast")), ("/redirect", .redirect(to: "fast")), ("/large", .data(Data(count: 300_000))),
        ("/refused", .status(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""], body: "no")),
        ("/chunked", .chunked(["a", "b"])),
        ("/closeBeforeHead", .fault(.closeBeforeHead)), ("/resetBeforeHead", .fault(.resetBeforeHead)),
        ("/resetMidBody", .fault(.resetMidBody(after: 10))),
        ("/truncate", .fault(.truncate(after: 10))), ("/garbage", .fault(.garbage)), ("/stall", .fault(.stall)),
    ]

    func run() async throws {
        let server = try await MockServer.start(tls: tls ? .selfSigned : nil)
        let reply = MockResponse.data(try JSONEncoder().encode(Document.sample)).delayed(by: .milliseconds(delay))
        await server.route("/*") { _ in reply }
        for (path, reply) in Self.faults { await server.route(path) { _ in reply } }
        print(server.port)
        fflush(nil)
        while readLine() != nil {}
        await server.stop()
    }
}
