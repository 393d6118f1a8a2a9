import Dispatch
import Foundation

/// Ctrl-C: cancels the work, which ends every request at once.
enum Interrupt {
    static func cancelling(_ work: @escaping @Sendable () async throws -> Void) async throws {
        let task = Task { try await work() }
        let source = watch { task.cancel() }
        defer { source.cancel() }
        try await task.value
    }

    private static func watch(_ cancel: @escaping @Sendable () -> Void) -> any DispatchSourceSignal {
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler {
            cancel()
            // Reading standard input or writing to a slow pipe cannot be cancelled; nobody who pressed Ctrl-C waits for
            // it.
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.5) {
                Console.note("anet: Interrupted while reading or writing.")
                _exit(ExitStatus.interrupted)
            }
        }
        source.resume()
        return source
    }
}
