import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A blocking TCP socket on loopback, whose waits end when `stop` becomes readable.
struct Socket: Sendable {
    let descriptor: Int32
    let stop: Int32

    struct Failure: Error, CustomStringConvertible {
        let operation: String
        let number: Int32
        var description: String { "\(operation): \(String(cString: strerror(number)))" }

        init(_ operation: String) {
            self.operation = operation
            number = errno
        }
    }

    /// The server was stopped during a wait.
    struct Stopped: Error {}

    #if canImport(Darwin)
        private static let stream = SOCK_STREAM
        static let sendFlags: Int32 = 0
    #elseif canImport(Musl)
        private static let stream = SOCK_STREAM
        static let sendFlags = Int32(MSG_NOSIGNAL)
    #else
        private static let stream = Int32(SOCK_STREAM.rawValue)
        static let sendFlags = Int32(MSG_NOSIGNAL)
    #endif

    /// Binds a port; if `listens` is `false`, connections to it are refused.
    ///
    /// - Parameters:
    ///   - port: The port; the system chooses one for 0.
    ///   - isShared: Whether several sockets may have the port, if all of them allow it.
    static func bind(
        _ interface: MockServer.Interface, port: UInt16 = 0, listens: Bool, isShared: Bool = false, stop: Int32
    ) throws -> (socket: Socket, port: Int) {
        let socket = Socket(descriptor: makeDescriptor(interface.isIPv6), stop: stop)
        guard socket.descriptor >= 0 else { throw Failure("socket") }
        _ = fcntl(socket.descriptor, F_SETFD, FD_CLOEXEC)
        if isShared { socket.allow(SO_REUSEPORT) }
        do {
            // Otherwise `bind` fails while old connections of a former server on this port are in TIME_WAIT.
            if port != 0 { socket.allow(SO_REUSEADDR) }
            switch interface {
            case .ipv4: try socket.bindIPv4(port, 1)
            case .ipv6: try socket.bindIPv6(port)
            case .loopback(let number): try socket.bindIPv4(port, number)
            }
            if listens, listen(socket.descriptor, 1024) != 0 { throw Failure("listen") }
            return (socket, try socket.port())
        } catch {
            socket.close()
            throw error
        }
    }

    static func makeDescriptor(_ ipv6: Bool) -> Int32 {
        #if canImport(Darwin)
            Darwin.socket(ipv6 ? AF_INET6 : AF_INET, stream, 0)
        #elseif canImport(Musl)
            Musl.socket(ipv6 ? AF_INET6 : AF_INET, stream, 0)
        #else
            Glibc.socket(ipv6 ? AF_INET6 : AF_INET, stream, 0)
        #endif
    }

    private func allow(_ option: Int32) {
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, option, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    /// - Parameter number: The last part of 127.0.0.n.
    private func bindIPv4(_ port: UInt16, _ number: UInt8) throws {
        var address = sockaddr_in()
        address.sin_port = port.bigEndian
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = (0x7F00_0000 | UInt32(number)).bigEndian
        try bindAddress(&address)
    }

    private func bindIPv6(_ port: UInt16) throws {
        var address = sockaddr_in6()
        address.sin6_port = port.bigEndian
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_addr = in6addr_loopback
        try bindAddress(&address)
    }

    private func bindAddress<Address>(_ address: inout Address) throws {
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                #if canImport(Darwin)
                    Darwin.bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
                #elseif canImport(Musl)
                    Musl.bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
                #else
                    Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
                #endif
            }
        }
        guard result == 0 else { throw Failure("bind") }
    }

    private func port() throws -> Int {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0 else { throw Failure("getsockname") }
        return withUnsafeBytes(of: &storage) { bytes in
            // The port has the same offset in the address structures of IPv4 and IPv6.
            Int(bytes[2]) << 8 | Int(bytes[3])
        }
    }

    func accept() throws -> Socket {
        try wait(for: Int16(POLLIN))
        #if canImport(Darwin)
            let accepted = Darwin.accept(descriptor, nil, nil)
            var one: Int32 = 1
            setsockopt(accepted, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<Int32>.size))
        #elseif canImport(Musl)
            let accepted = Musl.accept(descriptor, nil, nil)
        #else
            let accepted = Glibc.accept(descriptor, nil, nil)
        #endif
        guard accepted >= 0 else { throw Failure("accept") }
        // With this flag, a child process of the test does not keep the connection open after the server has closed it.
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        var noDelay: Int32 = 1
        setsockopt(accepted, Int32(IPPROTO_TCP), TCP_NODELAY, &noDelay, socklen_t(MemoryLayout<Int32>.size))
        return Socket(descriptor: accepted, stop: stop)
    }

    /// Reads up to `count` bytes; empty at the end of the stream.
    func read(_ count: Int) throws -> Data {
        try wait(for: Int16(POLLIN))
        var buffer = [UInt8](repeating: 0, count: count)
        let received = recv(descriptor, &buffer, count, 0)
        guard received >= 0 else { throw Failure("recv") }
        return Data(buffer.prefix(received))
    }

    func write(_ data: Data) throws {
        var rest = data[...]
        while !rest.isEmpty {
            try wait(for: Int16(POLLOUT))
            let sent = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, min($0.count, 256 * 1024), Self.sendFlags | Int32(MSG_DONTWAIT))
            }
            if sent < 0, errno == EAGAIN || errno == EINTR { continue }
            guard sent >= 0 else { throw Failure("send") }
            rest = rest.dropFirst(sent)
        }
    }

    /// Waits for a duration, or without limit for `nil`; throws if the server stops or the client disconnects.
    func pause(_ duration: Duration?) throws {
        let gone = try poll(
            [
                pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Self.closed, revents: 0),
            ], duration)
        if gone.last == true { throw Failure("the client is gone") }
    }

    /// Waits until the wakeup is set; throws if the server stops or the client disconnects.
    func pause(until wakeup: Wakeup) throws {
        let gone = try poll(
            [
                pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wakeup.reader, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Self.closed, revents: 0),
            ], nil)
        if gone.last == true { throw Failure("the client is gone") }
    }

    /// Waits for a duration; throws if the server stops.
    func sleep(_ duration: Duration) throws {
        guard duration > .zero else { return }
        _ = try poll([pollfd(fd: stop, events: Int16(POLLIN), revents: 0)], duration)
    }

    #if os(Linux)
        private static let closed = Int16(0x2000) // POLLRDHUP, which Swift does not import
    #else
        private static let closed = Int16(POLLHUP)
    #endif

    private func wait(for events: Int16) throws {
        _ = try poll(
            [pollfd(fd: stop, events: Int16(POLLIN), revents: 0), pollfd(fd: descriptor, events: events, revents: 0)],
            nil)
    }

    /// A timeout for `poll`, rounded up to milliseconds; -1 for `nil`, which means none.
    static func milliseconds(_ duration: Duration?) -> Int32 {
        guard let duration else { return -1 }
        let (seconds, attoseconds) = min(max(.zero, duration), .seconds(20 * 86_400)).components
        let part = attoseconds / 1_000_000_000_000_000
        return Int32(seconds * 1000 + part + (part * 1_000_000_000_000_000 < attoseconds ? 1 : 0))
    }

    /// Waits for bytes of the client, or until the wakeup is set or the time has passed.
    ///
    /// - Returns: Whether there is something to read.
    func waitForInput(orUntil wakeup: Wakeup, within limit: Duration? = nil) throws -> Bool {
        let ready = try poll(
            [
                pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wakeup.reader, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            ], limit)
        return ready.last == true
    }

    /// Waits until the wakeup is set.
    func wait(for wakeup: Wakeup) throws {
        _ = try poll(
            [
                pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wakeup.reader, events: Int16(POLLIN), revents: 0),
            ], nil)
    }

    /// - Returns: For each descriptor, whether it is ready; none is if the time has passed.
    private func poll(_ descriptors: [pollfd], _ duration: Duration?) throws -> [Bool] {
        var descriptors = descriptors
        let milliseconds = Self.milliseconds(duration)
        var result: Int32
        repeat {
            #if canImport(Darwin)
                result = Darwin.poll(&descriptors, nfds_t(descriptors.count), milliseconds)
            #elseif canImport(Musl)
                result = Musl.poll(&descriptors, nfds_t(descriptors.count), milliseconds)
            #else
                result = Glibc.poll(&descriptors, nfds_t(descriptors.count), milliseconds)
            #endif
        } while result < 0 && errno == EINTR
        guard result >= 0 else { throw Failure("poll") }
        if descriptors[0].revents != 0 { throw Stopped() }
        return descriptors.map { $0.revents != 0 }
    }

    func close() {
        #if canImport(Darwin)
            _ = Darwin.close(descriptor)
        #elseif canImport(Musl)
            _ = Musl.close(descriptor)
        #else
            _ = Glibc.close(descriptor)
        #endif
    }

    /// Ends writing; the peer's bytes can still be read.
    func finishWriting() {
        #if canImport(Glibc)
            _ = shutdown(descriptor, Int32(SHUT_WR))
        #else
            _ = shutdown(descriptor, SHUT_WR)
        #endif
    }

    /// Closes the connection with a reset.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }
}
