#if os(Linux)
    @testable import AsyncNet
    import Foundation
    import Testing

    /// The kernel's own answers: links that are pulled out, addresses and routes that come and go.
    @Suite(
        "Network namespaces", .timeLimit(.minutes(5)), .serialized,
        .enabled(if: NetworkNamespace.isPossible, "needs root, iproute2 and network namespaces"))
    struct NetworkNamespaceTests {
        private typealias Status = NetworkPath.Status

        /// The next path that is as described; whatever comes before it is passed over.
        private static func next(_ paths: inout NetworkPaths.Iterator, _ isExpected: (NetworkPath) -> Bool) async
            -> NetworkPath?
        {
            while let path = await paths.next() {
                if isExpected(path) { return path }
            }
            return nil
        }

        /// One whose links have found each other, which takes the kernel a moment.
        private static func namespace() async throws -> NetworkNamespace {
            let namespace = try NetworkNamespace()
            var paths = namespace.monitor.paths.makeAsyncIterator()
            _ = await next(&paths) { $0.status == .satisfied }
            return namespace
        }

        private static func veth(_ path: NetworkPath) -> NetworkInterface? {
            path.interfaces.first { $0.name == "veth0" }
        }

        @Test("currentPath is satisfied without a default route, and lists the interfaces of the namespace")
        func present() async throws {
            let namespace = try await Self.namespace()
            let path = await namespace.monitor.currentPath
            #expect(path.status == .satisfied)
            #expect(!path.hasIPv4 && !path.hasIPv6)
            #expect(Self.veth(path)?.kind == .ethernet)
            #expect(Self.veth(path)?.addresses.contains("10.9.0.1") == true)
            #expect(
                path.interfaces.first { $0.name == "lo" } == NetworkInterface(name: "lo", kind: .loopback, isUp: false))
        }

        @Test(
            "A path is unsatisfied when its only link or address is lost, and satisfied when there is one again",
            arguments: [
                ["link set veth0 down", "link set veth0 up"],
                ["link set veth1 down", "link set veth1 up"],
                ["address del 10.9.0.1/24 dev veth0", "address add 10.9.0.2/24 dev veth0"],
                [
                    "link del veth0", "link add veth0 type veth peer name veth1", "address add 10.9.0.1/24 dev veth0",
                    "link set veth1 up", "link set veth0 up",
                ],
            ])
        func downAndUp(_ commands: [String]) async throws {
            let namespace = try await Self.namespace()
            var paths = namespace.monitor.paths.makeAsyncIterator()
            #expect(await paths.next()?.status == .satisfied)
            try namespace.ip(commands[0])
            #expect(await Self.next(&paths) { $0.status == .unsatisfied } != nil)
            for command in commands.dropFirst() { try namespace.ip(command) }
            #expect(await Self.next(&paths) { $0.status == .satisfied } != nil)
        }

        @Test(
            "hasIPv4 is true while there is a default route, also if the route is lost with its link, unnotified"
        )
        func defaultRoute() async throws {
            let namespace = try await Self.namespace()
            var paths = namespace.monitor.paths.makeAsyncIterator()
            let last = await paths.next()
            #expect(last?.hasIPv4 == false && last?.hasIPv6 == false)
            try namespace.ip("route add default via 10.9.0.254")
            #expect(await Self.next(&paths) { $0.hasIPv4 } != nil)
            try namespace.ip("route del default")
            #expect(await Self.next(&paths) { !$0.hasIPv4 }?.status == .satisfied)
            try namespace.ip("route add default via 10.9.0.254")
            #expect(await Self.next(&paths) { $0.hasIPv4 } != nil)
            try namespace.ip("link set veth0 down")
            #expect(await Self.next(&paths) { !$0.hasIPv4 }?.status == .unsatisfied)
            try namespace.ip("link set veth0 up")
            #expect(await Self.next(&paths) { $0.status == .satisfied }?.hasIPv4 == false)
        }

        @Test("A network path over a bridge is satisfied only with a default route")
        func bridge() async throws {
            let namespace = try await Self.namespace()
            for command in [
                "address flush dev veth0", "link add br0 type bridge", "link set veth0 master br0",
                "address add 10.8.0.1/24 dev br0",
            ] {
                try namespace.ip(command)
            }
            try namespace.ip("link set br0 up")
            var paths = namespace.monitor.paths.makeAsyncIterator()
            #expect(
                await Self.next(&paths) { $0.interfaces.contains { $0.name == "br0" && $0.isUp } }?.status
                    == .unsatisfied)
            try namespace.ip("route add default via 10.8.0.254")
            #expect(await Self.next(&paths) { $0.status == .satisfied } != nil)
        }

        @Test("A change whose notification is lost in an overflow of the netlink socket is found by a new dump")
        func overflow() async throws {
            let namespace = try await Self.namespace()
            let (isReporting, mayReport) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 1))
            let monitor = namespace.monitor { report in
                isReporting.signal()
                mayReport.wait()
                report()
                mayReport.signal()
            }
            var paths = monitor.paths.makeAsyncIterator()
            #expect(await paths.next()?.status == .satisfied)
            try Self.overflow(namespace, isReporting, mayReport)
            #expect(await Self.next(&paths) { $0.status == .unsatisfied } != nil)
        }

        /// While a report is being made nobody reads. What then fills the socket concerns nobody, and what does concern
        /// is lost.
        private static func overflow(
            _ namespace: NetworkNamespace, _ isReporting: DispatchSemaphore, _ mayReport: DispatchSemaphore
        ) throws {
            isReporting.wait()
            mayReport.wait()
            defer { mayReport.signal() }
            try namespace.ip("address add 10.6.0.1/24 dev veth0")
            isReporting.wait()
            let routes = (0..<3000).map { "route add 10.7.\($0 / 250).\($0 % 250 + 1)/32 dev veth0" }
            let commands = routes + ["address del 10.9.0.1/24 dev veth0", "address del 10.6.0.1/24 dev veth0"]
            let batch = FileManager.default.temporaryDirectory.appendingPathComponent("routes-\(UUID()).txt")
            defer { try? FileManager.default.removeItem(at: batch) }
            try (commands.joined(separator: "\n") + "\n").write(to: batch, atomically: false, encoding: .utf8)
            try namespace.ip("-batch \(batch.path)")
        }

        @Test("The netlink sockets of ended path observers are closed")
        func descriptors() async throws {
            let namespace = try await Self.namespace()
            let monitor = namespace.monitor
            for _ in 0..<50 { #expect(await monitor.currentPath.status == .satisfied) }
            // Each is closed by its queue, soon after.
            while try Self.netlinkSockets(of: namespace) > 0 { await Task.yield() }
        }

        /// Those that are open in the namespace.
        private static func netlinkSockets(of namespace: NetworkNamespace) throws -> Int {
            try namespace.run {
                // Protocol 0 is routes; port 0 is the kernel's own.
                let lines = try String(contentsOfFile: "/proc/thread-self/net/netlink", encoding: .utf8).split(
                    separator: "\n"
                ).dropFirst()
                return lines.count { line in
                    let fields = line.split(separator: " ")
                    return fields.count > 3 && fields[1] == "0" && fields[2] != "0"
                }
            }
        }
    }

    /// A process that may not ask must not wait for an answer either.
    @Suite("Refused netlink", .timeLimit(.minutes(5)))
    struct RefusedNetlinkTests {
        @Test("If the system refuses netlink sockets, the path is reported as unknown at once")
        func refused() async throws {
            let thread = OwnThread()
            let monitor = NetworkMonitor { report in (try? thread.run { PathWatch(report) }) ?? 0 as any Sendable }
            #expect(await monitor.currentPath.status != .unknown)
            try thread.refuseNetlink()
            #expect(await monitor.currentPath == .unknown)
        }
    }
#endif
