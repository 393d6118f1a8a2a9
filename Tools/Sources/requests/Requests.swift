import ArgumentParser
import AsyncNet
import Foundation

/// Makes requests over sockets and nothing else: `Scripts/syscalls` counts the system calls of this process.
@main
struct Requests: AsyncParsableCommand {
    @Argument(help: "What is requested.") var url: String
    @Argument(help: "How many requests are made, after some that open the connections.") var requests: Int
    @Argument(help: "How many at a time.") var atATime: Int
    @Argument(help: "The file of the only certificate that is trusted.") var certificate: String
    @Flag(help: "Each task lets a millisecond pass after each request.") var apart = false

    func run() async throws {
        let tls = TLSConfiguration(trust: .anchors(file: URL(filePath: certificate)))
        let session = Session(transport: .sockets(tls: tls))
        try await fetch(10 * atATime, session)
        try await fetch(requests, session)
        await session.finish()
    }

    private func fetch(_ requests: Int, _ session: Session) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<atATime {
                group.addTask(executorPreference: executor) {
                    for _ in 0..<requests / atATime { try await fetch(session) }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Without a preference the task may continue on the loop's thread after a request: the loop then does not sleep, and
    /// needs no wake-up for the next request.
    private var executor: (any TaskExecutor)? { apart ? globalConcurrentExecutor : nil }

    /// The pause blocks the thread, as the timer of `Task.sleep` makes system calls of its own.
    private func fetch(_ session: Session) async throws {
        _ = try await session.request(url).serializing(Data.self).value
        if apart { usleep(1000) }
    }
}
