#if canImport(Network)
    import Dispatch
    import Network

    /// Reports the network path and each change of it until the last reference to the watch is released.
    ///
    /// Unchecked: the monitor is started in the initializer, cancelled in `deinit`, and not used otherwise.
    final class PathWatch: @unchecked Sendable {
        private let monitor = NWPathMonitor()

        init(_ report: @escaping @Sendable (NetworkPath) -> Void) {
            monitor.pathUpdateHandler = { path in report(NetworkPath(path)) }
            monitor.start(queue: DispatchQueue(label: "AsyncNet.PathWatch"))
        }

        deinit { monitor.cancel() }
    }

    extension NetworkPath {
        fileprivate init(_ path: NWPath) {
            self.init(
                status: Status(path.status),
                interfaces: path.availableInterfaces.map {
                    NetworkInterface(name: $0.name, kind: .init($0.type), isUp: true)
                },
                hasIPv4: path.supportsIPv4, hasIPv6: path.supportsIPv6)
        }
    }

    extension NetworkPath.Status {
        fileprivate init(_ status: NWPath.Status) {
            switch status {
            case .satisfied: self = .satisfied
            case .unsatisfied: self = .unsatisfied
            // Only a connection brings this path up, so waiting for the path could last forever.
            case .requiresConnection: self = .unknown
            @unknown default: self = .unknown
            }
        }
    }

    extension NetworkInterface.InterfaceKind {
        fileprivate init(_ type: NWInterface.InterfaceType) {
            switch type {
            case .loopback: self = .loopback
            case .wiredEthernet: self = .ethernet
            case .wifi: self = .wifi
            case .cellular: self = .cellular
            case .other: self = .other
            @unknown default: self = .other
            }
        }
    }
#else
    import Dispatch
    import Foundation
    import Synchronization

    /// Reports the network path and each change of it until the last reference to the watch is released; `.unknown`
    /// if the kernel refuses route sockets.
    ///
    /// Unchecked: Dispatch does not declare its sources Sendable, but any thread may cancel one.
    final class PathWatch: @unchecked Sendable {
        private struct Conversation {
            var dump: NetlinkDump
            var buffer = [UInt8](repeating: 0, count: 32 << 10)
        }

        private let socket: NetlinkSocket?
        private let source: (any DispatchSourceRead)?
        private let state: Mutex<Conversation>
        private let report: @Sendable (NetworkPath) -> Void

        /// Makes the first report before it returns.
        init(_ report: @escaping @Sendable (NetworkPath) -> Void) {
            self.report = report
            let socket = NetlinkSocket()
            self.socket = socket
            state = Mutex(Conversation(dump: NetlinkDump(port: socket?.port ?? 0)))
            source = socket.map {
                DispatchSource.makeReadSource(
                    fileDescriptor: $0.descriptor, queue: DispatchQueue(label: "AsyncNet.PathWatch"))
            }
            start()
        }

        deinit { source?.cancel() }

        private func start() {
            guard let socket, let source else { return report(.unknown) }
            source.setEventHandler { [weak self] in self?.read() }
            // Until the source is cancelled, Dispatch may use the descriptor.
            source.setCancelHandler { close(socket.descriptor) }
            read()
            source.resume()
        }

        /// Called once by the initializer, then on the queue only, so reports keep their order.
        private func read() {
            guard let socket else { return }
            let path = state.withLock { state in
                ThreadSanitizer.acquired(self.state)
                defer { ThreadSanitizer.willRelease(self.state) }
                return latestPath(of: socket, &state)
            }
            if let path { report(path) }
        }

        private func latestPath(of socket: NetlinkSocket, _ state: inout Conversation) -> NetworkPath? {
            var path: NetworkPath?
            while receiveAll(of: socket, &state) {
                switch state.dump.next() {
                case .wait: return path
                case .send(let request): if !socket.send(request) { state.dump.fail() }
                case .report(let table): path = table.path(deviceType: DeviceType.named)
                case .refuse: path = .unknown
                }
            }
            source?.cancel()
            return .unknown
        }

        private func receiveAll(of socket: NetlinkSocket, _ state: inout Conversation) -> Bool {
            while true {
                switch socket.receive(into: &state.buffer) {
                case .bytes(let count): state.dump.receive(state.buffer[..<count])
                case .lost: state.dump.lose()
                case .nothing: return true
                case .failure: return false
                }
            }
        }
    }

    private enum DeviceType {
        static func named(_ name: String) -> String? {
            guard !name.isEmpty, name != ".", name != "..", !name.contains("/"),
                let text = try? String(contentsOfFile: "/sys/class/net/\(name)/uevent", encoding: .utf8)
            else { return nil }
            let line = text.split(separator: "\n").first { $0.hasPrefix("DEVTYPE=") }
            return line.map { String($0.dropFirst("DEVTYPE=".count)) }
        }
    }
#endif
