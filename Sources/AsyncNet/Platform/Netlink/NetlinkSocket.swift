import CPlatform

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What was read of a socket.
enum NetlinkReading {
    /// A datagram of so many bytes.
    case bytes(Int)
    /// There is nothing left to read.
    case nothing
    /// More than there was room for; some is lost.
    case lost
    case failure
}

/// A socket to the kernel's tables of links, addresses and routes. It does not wait, and does not close itself.
struct NetlinkSocket: Sendable {
    let descriptor: Int32
    let port: UInt32

    /// `nil` where there is none or it is refused, as in some sandboxes.
    init?() {
        var port: UInt32 = 0
        descriptor = cp_open_route_socket(&port)
        self.port = port
        guard descriptor >= 0 else { return nil }
    }

    func send(_ request: [UInt8]) -> Bool { cp_send_route_request(descriptor, request, request.count) == 0 }

    /// Reads the next datagram. The buffer grows to what did not fit.
    func receive(into buffer: inout [UInt8]) -> NetlinkReading {
        while true {
            let size = buffer.count
            let count = cp_receive_routes(descriptor, &buffer, size)
            switch count {
            case 0: continue
            case ...size where count > 0: return .bytes(count)
            case 1...:
                buffer = [UInt8](repeating: 0, count: count)
                return .lost
            default: return Self.reading(errno)
            }
        }
    }

    private static func reading(_ error: Int32) -> NetlinkReading {
        switch error {
        case EAGAIN, EWOULDBLOCK: .nothing
        case ENOBUFS: .lost
        default: .failure
        }
    }
}
