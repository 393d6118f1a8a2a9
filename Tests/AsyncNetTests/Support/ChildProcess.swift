import Foundation

/// A child process, which is killed with this object if it has not ended before.
///
/// Foundation's `Process` reads beyond the end of a buffer on Linux once this process has more than a thousand
/// descriptors, as the suite has, and crashes if no memory follows the buffer. Unlike a `Process`, the child inherits
/// descriptors without close-on-exec.
final class ChildProcess: Sendable {
    struct Failure: Error { let code: Int32 }

    private let id: pid_t
    private let input = Pipe()
    private let output = Pipe()

    /// - Parameter arguments: The first is the program, which is looked for in `PATH`.
    init(_ arguments: [String]) throws {
        id = try Self.spawn(arguments, input: input.fileHandleForReading, output: output.fileHandleForWriting)
        try output.fileHandleForWriting.close()
        try input.fileHandleForReading.close()
    }

    deinit {
        kill(id, SIGKILL)
        waitpid(id, nil, 0)
    }

    /// The output that has not been read yet; waits until there is some, or the output has ended.
    var availableOutput: Data { output.fileHandleForReading.availableData }

    /// All output up to its end.
    func allOutput() async -> Data {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [output] in
                continuation.resume(returning: (try? output.fileHandleForReading.readToEnd()) ?? Data())
            }
        }
    }

    private static func spawn(_ arguments: [String], input: FileHandle, output: FileHandle) throws -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input.fileDescriptor, 0)
        posix_spawn_file_actions_adddup2(&actions, output.fileDescriptor, 1)
        let environment = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
        var id: pid_t = 0
        let code = withStrings(arguments) { words in
            withStrings(environment) { posix_spawnp(&id, arguments[0], &actions, nil, words, $0) }
        }
        guard code == 0 else { throw Failure(code: code) }
        return id
    }

    private static func withStrings(_ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Int32) -> Int32 {
        let pointers = strings.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers + [nil])
    }
}
