import CAsyncNetPlatform
import Foundation

enum NetlinkReading {
    case bytes(Int)
    case nothing
    case lost
    case failure
}

/// A non-blocking socket to the kernel's tables of links, addresses and routes. The owner closes it.
struct NetlinkSocket: Sendable {
    let descriptor: Int32
    let port: UInt32

    /// `nil` if the system has no such sockets or refuses them, as some sandboxes do.
    init?() {
        var port: UInt32 = 0
        descriptor = cp_open_route_socket(&port)
        self.port = port
        guard descriptor >= 0 else { return nil }
    }

    func send(_ request: [UInt8]) -> Bool { cp_send_route_request(descriptor, request, request.count) == 0 }

    /// Reads the next datagram. If the datagram does not fit, it is lost, and the buffer grows to its size.
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
