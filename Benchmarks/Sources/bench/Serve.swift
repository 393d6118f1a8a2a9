import ArgumentParser
import AsyncNet
import AsyncNetTesting
import Foundation

/// The server of ``Burst``, as a process of its own so that its memory and CPU are not the client's.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "A server that answers after a while; for burst.", shouldDisplay: false)

    @Option(help: "Milliseconds before each answer.") var delay = 50

    func run() async throws {
        let server = try await MockServer.start()
        let reply = MockResponse.data(try JSONEncoder().encode(Document.sample)).delayed(by: .milliseconds(delay))
        await server.route("/*") { _ in reply }
        print(server.port)
        fflush(nil)
        while readLine() != nil {}
        await server.stop()
    }
}
