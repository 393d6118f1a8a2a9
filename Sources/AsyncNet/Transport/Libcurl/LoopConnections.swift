import CAsyncNetLibcurl
import Foundation

/// A loop's connections: their sockets, unread responses of closed connections, and streams that servers will not
/// process.
///
/// Used on the loop's thread only. libcurl calls it with each socket that it opens or closes.
final class LoopConnections {
    private var sockets = ConnectionSockets()
    private var unread = UnreadResponses()
    private var goAways = GoAwayLog()
    /// The `errno` with which the system refused the last socket; 0 if it did not.
    private var refusal: Int32 = 0
    /// The observed connections by their sockets.
    private var lives: [Int32: ConnectionLife] = [:]

    static func at(_ pointer: UnsafeMutableRawPointer) -> LoopConnections {
        Unmanaged<LoopConnections>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// - Parameter socket: A negative `errno` if there is none.
    func opened(_ socket: Int32) {
        refusal = max(0, -socket)
        if socket >= 0 { sockets.insert(socket) }
    }

    /// Why no connection could be made: the system's error for it, or else for the last socket.
    func systemError(_ metrics: lc_metrics) -> Int32 {
        metrics.system_error != 0 ? Int32(truncatingIfNeeded: metrics.system_error) : refusal
    }

    /// Closes the socket of a connection that libcurl does not use any more.
    func close(_ socket: Int32) -> Int32 {
        // Unread bytes would be taken for those of the other connection with this port.
        let isAmbiguous = sockets.isPortShared(by: socket)
        sockets.remove(socket)
        lives.removeValue(forKey: socket)?.close()
        if isAmbiguous { lc_close(socket) } else { unread.close(socket) }
        return 0
    }

    /// The state of the connection that libcurl has picked for a request.
    func connection(fromPort port: Int32, isNew: Bool) -> ResendPolicy.Connection {
        if isNew { goAways.forget(port: port) }
        var connection = ResendPolicy.Connection(isNew: isNew, isHTTP2: !sockets.isHTTP1(onPort: port))
        guard !isNew, let socket = sockets.socket(onPort: port) else { return connection }
        let bytes = lc_waiting_bytes(socket)
        (connection.hasBytes, connection.isClosed) = (bytes > 0, bytes < 0)
        return connection
    }

    /// The life of the connection with this local port, which a request to this URL uses; `nil` if the port identifies no
    /// connection, as that of a unix socket.
    func life(onPort port: Int32, _ url: URL, _ observer: any ConnectionObserver) -> ConnectionLife? {
        guard let socket = sockets.socket(onPort: port) else { return nil }
        if let life = lives[socket] { return life }
        let life = ConnectionLife(observer.follower(ofConnectionTo: url))
        lives[socket] = life
        return life
    }

    /// Stores that the server will not process streams after `lastStream` on this connection.
    func noteGoAway(lastStream: UInt32, onPort port: Int32) { goAways.note(lastStream: lastStream, onPort: port) }

    func isUnprocessed(_ stream: UInt32, onPort port: Int32) -> Bool {
        !sockets.isShared(port) && goAways.isUnprocessed(stream, onPort: port)
    }

    /// Stores that an HTTP/1 response has arrived on the connection.
    func noteHTTP1(onPort port: Int32) {
        if !sockets.isHTTP1(onPort: port), sockets.socket(onPort: port) != nil { sockets.noteHTTP1(onPort: port) }
    }

    /// Whether the server has closed a transfer's connection. libcurl reports the connection's local address, by which
    /// the socket is found.
    func isPeerGone(_ easy: OpaquePointer) -> Bool {
        var name = [CChar](repeating: 0, count: Int(LC_LOCAL_NAME_SIZE))
        lc_local_name(easy, &name)
        return sockets.all.contains { lc_has_name($0, name) != 0 && lc_waiting_bytes($0) < 0 }
    }

    /// Removes and returns the bytes that were unread on the closed connection of a transfer that is over.
    func takeUnreadResponse(_ easy: OpaquePointer) -> Data? { unread.take(easy) }

    /// Removes and returns the bytes that were unread on a closed connection. Called for each new connection too, which
    /// would otherwise get the bytes of a former connection with the same name.
    ///
    /// - Parameter name: The local address and port of the connection.
    func takeUnreadResponse(at name: @autoclosure () -> String) -> Data? {
        unread.isEmpty ? nil : unread.take(at: name())
    }
}
