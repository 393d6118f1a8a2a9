import Foundation

/// A blocking socket on loopback, for the thread that has it. No call waits longer than `patience`.
final class Socket {
    /// Seconds. A client that has nothing more to say has gone by then.
    static let patience = 1

    let descriptor: Int32
    private var unread = Data()

    init(descriptor: Int32) {
        self.descriptor = descriptor
        var wait = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(descriptor) }

    /// `nil` if nobody takes it.
    static func connect(port: Int) -> Socket? {
        let descriptor = make()
        guard descriptor >= 0 else { return nil }
        let result = withLoopback(port) { Foundation.connect(descriptor, $0, $1) }
        let socket = Socket(descriptor: descriptor)
        return result == 0 ? socket : nil
    }

    static func make() -> Int32 {
        #if canImport(Darwin)
            socket(AF_INET, SOCK_STREAM, 0)
        #else
            socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
    }

    static func withLoopback<Result>(_ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }

    // MARK: Reading

    /// What is there, after waiting for something; `nil` at the end.
    func receive(atMost limit: Int = 65536) -> Data? {
        if !unread.isEmpty {
            defer { unread = Data(unread.dropFirst(limit)) }
            return Data(unread.prefix(limit))
        }
        var buffer = Data(count: limit)
        let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, limit, 0) }
        return count > 0 ? buffer.prefix(count) : nil
    }

    /// Exactly so many; `nil` if they do not come.
    func receive(exactly count: Int) -> Data? {
        var data = Data()
        while data.count < count {
            guard let more = receive(atMost: min(65536, count - data.count)) else { return nil }
            data += more
        }
        return data
    }

    /// Up to a blank line, with it; what came after it is kept for the next call.
    func receiveHead() -> Data? {
        var data = Data()
        while true {
            if let end = data.firstRange(of: Data("\r\n\r\n".utf8)) {
                unread = Data(data[end.upperBound...]) + unread
                return data[..<end.upperBound]
            }
            guard data.count < 1 << 20, let more = receive() else { return nil }
            data += more
        }
    }

    // MARK: Writing

    /// `false` if the other side is gone.
    @discardableResult
    func send(_ data: Data) -> Bool {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, Self.noSignal) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    func endWriting() {
        #if canImport(Darwin)
            shutdown(descriptor, SHUT_WR)
        #else
            shutdown(descriptor, Int32(SHUT_WR))
        #endif
    }

    /// The close that follows is a reset.
    func willReset() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    }

    #if canImport(Darwin)
        private static let noSignal: Int32 = 0
    #else
        private static let noSignal = Int32(MSG_NOSIGNAL)
    #endif
}
