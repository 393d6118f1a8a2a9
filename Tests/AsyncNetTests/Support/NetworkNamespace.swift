#if os(Linux)
    @testable import AsyncNet
    import Glibc

    /// A thread in a new network namespace, with a pair of links that a test can switch off. The namespace ends with
    /// the thread.
    final class NetworkNamespace: Sendable {
        struct Failure: Error { let command: String }

        private let thread = OwnThread()

        /// Whether a namespace can be made, which needs root and iproute2.
        static let isPossible: Bool = (try? NetworkNamespace()) != nil

        init() throws {
            try thread.leaveNetwork()
            try ip("link add veth0 type veth peer name veth1")
            // No IPv6 addresses: the kernel's later reports of them would hide that a monitor missed a change.
            for link in ["veth0", "veth1"] { try ip("link set \(link) addrgenmode none") }
            try ip("address add 10.9.0.1/24 dev veth0")
            try ip("link set veth1 up")
            try ip("link set veth0 up")
        }

        /// Runs a closure in the namespace, and waits for its end.
        func run<Value: Sendable>(_ job: @escaping @Sendable () throws -> Value) throws -> Value { try thread.run(job) }

        /// Runs `ip` with these arguments in the namespace.
        func ip(_ arguments: String) throws {
            try run {
                guard Self.spawn(["ip"] + arguments.split(separator: " ").map(String.init)) else {
                    throw Failure(command: arguments)
                }
            }
        }

        /// Runs a child process in the network namespace of the current thread; `false` if it fails.
        private static func spawn(_ command: [String]) -> Bool {
            var words = command.map { strdup($0) } + [nil]
            defer { for word in words { free(word) } }
            var (child, status): (pid_t, Int32) = (0, 0)
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            for descriptor: Int32 in 1...2 {
                posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
            }
            guard posix_spawnp(&child, "ip", &actions, nil, &words, environ) == 0 else { return false }
            while waitpid(child, &status, 0) < 0, errno == EINTR {}
            return status == 0
        }

        /// A monitor of this namespace.
        var monitor: NetworkMonitor { monitor { $0() } }

        /// - Parameter around: Called with a closure for each report, which it calls to make the report.
        func monitor(around: @escaping @Sendable (() -> Void) -> Void) -> NetworkMonitor {
            NetworkMonitor { report in
                guard let watch = try? self.run({ PathWatch { path in around { report(path) } } }) else { return 0 }
                return watch
            }
        }
    }
#endif
