import ArgumentParser
import AsyncNet
import Foundation

/// Makes requests over sockets and nothing else: `Scripts/syscalls` counts this process's system calls and allocations.
@main
struct Requests: AsyncParsableCommand {
    @Argument(help: "What is requested.") var url: String
    @Argument(help: "How many requests are made, after some that open the connections.") var requests: Int
    @Argument(help: "How many at a time.") var atATime: Int
    @Argument(help: "The file of the only certificate that is trusted.") var certificate: String
    @Flag(help: "Each task lets a millisecond pass after each request.") var apart = false
    @Flag(help: "Makes all requests at once to a server that never responds, and prints the bytes of heap of each.")
    var wait = false

    func run() async throws {
        let tls = TLSConfiguration(trust: .anchors(file: URL(filePath: certificate)))
        let session = Session(transport: .sockets(tls: tls))
        if wait { return try await measureWaiting(session) }
        try await fetch(10 * atATime, session)
        try await fetch(requests, session)
        await session.finish()
    }

    private func fetch(_ requests: Int, _ session: Session) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<atATime {
                let work: @Sendable () async throws -> Void = {
                    for _ in 0..<requests / atATime { try await fetch(session) }
                }
                // Without a preference the task may continue on the loop's thread after a request: the loop then does
                // not sleep, and needs no wake-up for the next request. Swift records the executor nil too.
                if apart {
                    group.addTask(executorPreference: globalConcurrentExecutor, operation: work)
                } else {
                    group.addTask(operation: work)
                }
            }
            try await group.waitForAll()
        }
    }

    /// The pause blocks the thread, as the timer of `Task.sleep` makes system calls of its own.
    private func fetch(_ session: Session) async throws {
        _ = try await session.request(url).serializing(Data.self).value
        if apart { usleep(1000) }
    }

    private func measureWaiting(_ session: Session) async throws {
        let before = try heapBytes()
        let tasks = (0..<requests).map { _ in Task { try await session.request(url).serializing(Data.self).value } }
        while await session.requests.count < requests { try await Task.sleep(for: .milliseconds(10)) }
        // The last ones have not reached the transport yet.
        try await Task.sleep(for: .milliseconds(500))
        print((try heapBytes() - before) / requests)
        for task in tasks { task.cancel() }
        await session.finish()
    }

    /// Asks the library that counts allocations, which Scripts/syscalls preloads.
    private func heapBytes() throws -> Int {
        guard let symbol = dlsym(nil, "heap_bytes") else { throw ValidationError("CountedMalloc is not preloaded") }
        return unsafeBitCast(symbol, to: (@convention(c) () -> Int).self)()
    }
}
