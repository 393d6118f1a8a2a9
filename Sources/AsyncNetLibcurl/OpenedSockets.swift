import CAsyncNetLibcurl
import Foundation

/// The open sockets of one loop's connections. libcurl's callbacks name a connection by its local port only, so each
/// socket is found by its local port.
///
/// Used only on the loop's thread. libcurl calls `opened(_:)` and `close(_:)` with each socket that it opens or closes.
final class OpenedSockets {
    private var all: Set<Int32> = []
    /// The `errno` with which the system refused the last socket; 0 if the system made it.
    private var refusal: Int32 = 0

    static func at(_ pointer: UnsafeMutableRawPointer) -> OpenedSockets {
        Unmanaged<OpenedSockets>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// - Parameter socket: The socket, or a negative `errno` if the system refused it.
    func opened(_ socket: Int32) {
        refusal = max(0, -socket)
        if socket >= 0 { all.insert(socket) }
    }

    /// Closes the socket of a connection that libcurl does not use any more.
    func close(_ socket: Int32) -> Int32 {
        all.remove(socket)
        return Foundation.close(socket)
    }

    /// Why no connection could be made: the `errno` of connecting, or else that of making the last socket.
    func systemError(_ metrics: lc_metrics) -> Int32 {
        metrics.system_error != 0 ? Int32(truncatingIfNeeded: metrics.system_error) : refusal
    }

    /// Whether a kept connection can carry another request: the server has not closed it, and it has no unread bytes
    /// unless it is multiplexed: over HTTP/1 these would belong to no response. Connections to different servers may have the same local port: then all
    /// of them must meet the condition.
    func isUsable(port: Int32, isMultiplexed: Bool) -> Bool {
        sockets(onPort: port).allSatisfy { socket in
            let bytes = lc_waiting_bytes(socket)
            return bytes == 0 || bytes > 0 && isMultiplexed
        }
    }

    /// Whether the server has closed the connection, and all that it sent has been read.
    func isClosed(port: Int32) -> Bool {
        let sockets = sockets(onPort: port)
        return !sockets.isEmpty && sockets.allSatisfy { lc_waiting_bytes($0) < 0 }
    }

    /// The sockets with this local port; none for port 0, which unix sockets have.
    private func sockets(onPort port: Int32) -> [Int32] {
        port > 0 ? all.filter { lc_local_port($0) == port } : []
    }
}
