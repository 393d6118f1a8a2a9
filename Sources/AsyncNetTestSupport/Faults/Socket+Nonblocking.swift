import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads, writes and connects that never wait, for one thread with many sockets.
extension Socket {
    /// Makes the socket nonblocking: from now on no call waits.
    func stopWaiting() {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    /// The next connection; `nil` if there is none.
    func acceptAtOnce() throws -> Socket? {
        #if canImport(Darwin)
            let accepted = Darwin.accept(descriptor, nil, nil)
        #elseif canImport(Musl)
            let accepted = Musl.accept(descriptor, nil, nil)
        #else
            let accepted = Glibc.accept(descriptor, nil, nil)
        #endif
        if accepted < 0 {
            // ECONNABORTED: the client has reset the connection before it was accepted, so there is none.
            if [EAGAIN, EWOULDBLOCK, EINTR, ECONNABORTED].contains(errno) { return nil }
            throw Failure("accept")
        }
        let socket = Socket(descriptor: accepted, stop: stop)
        socket.prepare()
        return socket
    }

    /// Begins a connection. If the server refuses it, the next read fails.
    static func connect(to address: ProxyTarget.Address, stop: Int32) throws -> Socket {
        let socket = Socket(descriptor: makeDescriptor(address.isIPv6), stop: stop)
        guard socket.descriptor >= 0 else { throw Failure("socket") }
        socket.prepare()
        let result = address.bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return Int32(-1) }
            return connectDescriptor(socket.descriptor, base.assumingMemoryBound(to: sockaddr.self), bytes.count)
        }
        guard result == 0 || errno == EINPROGRESS || errno == EINTR else {
            let failure = Failure("connect")
            socket.close()
            throw failure
        }
        return socket
    }

    private static func connectDescriptor(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ size: Int) -> Int32
    {
        #if canImport(Darwin)
            Darwin.connect(descriptor, address, socklen_t(size))
        #elseif canImport(Musl)
            Musl.connect(descriptor, address, socklen_t(size))
        #else
            Glibc.connect(descriptor, address, socklen_t(size))
        #endif
    }

    private func prepare() {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        stopWaiting()
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        #if canImport(Darwin)
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    /// Reads at most the buffer's size; empty at the end of the stream, `nil` if there are no bytes yet.
    func readAtOnce(_ buffer: inout [UInt8]) throws -> Data? {
        let received = recv(descriptor, &buffer, buffer.count, 0)
        if received >= 0 { return Data(buffer.prefix(received)) }
        if [EAGAIN, EWOULDBLOCK, EINTR].contains(errno) { return nil }
        throw Failure("recv")
    }

    /// - Returns: How many bytes the system has taken.
    func writeAtOnce(_ data: Data) throws -> Int {
        let sent = data.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Self.sendFlags) }
        if sent >= 0 { return sent }
        // Darwin reports ENOTCONN while the connection is being made.
        if [EAGAIN, EWOULDBLOCK, EINTR, ENOTCONN].contains(errno) { return 0 }
        throw Failure("send")
    }
}
