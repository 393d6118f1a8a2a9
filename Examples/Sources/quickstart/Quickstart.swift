import ArgumentParser
import AsyncNet
import AsyncNetTestSupport
import Foundation

/// The tour: starts a server of its own, then takes one step after the other.
@main
struct Quickstart: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quickstart",
        abstract: "A tour of AsyncNet: real requests to an embedded server on 127.0.0.1.",
        discussion: "Each step prints what came back and checks it. Exits 0 if everything is as expected, 1 if not.")

    func run() async throws {
        let server = try await MockServer.start()
        await server.routeTheTour()
        print("An embedded server listens on \(server.url())")
        let session = Session()
        let steps = Steps(session: session, server: server)
        do {
            try await steps.all()
        } catch {
            print("\nNot as expected: \(error)")
            throw ExitCode.failure
        }
        await session.finish()
        await server.stop()
        print("\nEverything came back as expected.")
    }
}
