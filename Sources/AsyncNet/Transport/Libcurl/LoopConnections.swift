import CLibcurl
import Foundation

/// What a loop knows of its connections beside libcurl: their sockets, what servers left on those that were closed, and
/// which streams they will not process.
///
/// Belongs to the loop's thread; libcurl calls it with the sockets that it opens and is done with.
final class LoopConnections {
    private var sockets = ConnectionSockets()
    private var unread = UnreadResponses()
    private var goAways = GoAwayLog()

    static func at(_ pointer: UnsafeMutableRawPointer) -> LoopConnections {
        Unmanaged<LoopConnections>.fromOpaque(pointer).takeUnretainedValue()
    }

    func opened(_ socket: Int32) { sockets.insert(socket) }

    /// libcurl is done with a connection.
    func close(_ socket: Int32) -> Int32 {
        // What was left would be taken for the other connection's.
        let isNameless = sockets.isPortShared(by: socket)
        sockets.remove(socket)
        if isNameless { lc_close(socket) } else { unread.close(socket) }
        return 0
    }

    /// What is known of the connection that libcurl picked for a request.
    func connection(fromPort port: Int32, isNew: Bool) -> ResendPolicy.Connection {
        if isNew { goAways.forget(port: port) }
        var connection = ResendPolicy.Connection(isNew: isNew, isHTTP2: !sockets.isHTTP1(onPort: port))
        guard !isNew, let socket = sockets.socket(onPort: port) else { return connection }
        let bytes = lc_waiting_bytes(socket)
        (connection.hasBytes, connection.isClosed) = (bytes > 0, bytes < 0)
        return connection
    }

    /// The server will not process later streams on the connection.
    func noteGoAway(lastStream: UInt32, onPort port: Int32) { goAways.note(lastStream: lastStream, onPort: port) }

    func isUnprocessed(_ stream: UInt32, onPort port: Int32) -> Bool {
        !sockets.isShared(port) && goAways.isUnprocessed(stream, onPort: port)
    }

    /// A response of HTTP/1 has come on the connection.
    func noteHTTP1(onPort port: Int32) {
        if !sockets.isHTTP1(onPort: port), sockets.socket(onPort: port) != nil { sockets.noteHTTP1(onPort: port) }
    }

    /// Whether the other end of a transfer's connection is closed. libcurl does not say which socket that is, but where
    /// it is.
    func isPeerGone(_ easy: OpaquePointer) -> Bool {
        var name = [CChar](repeating: 0, count: Int(LC_LOCAL_NAME_SIZE))
        lc_local_name(easy, &name)
        return sockets.all.contains { lc_has_name($0, name) != 0 && lc_waiting_bytes($0) < 0 }
    }

    /// The response that was left on the connection of a transfer that is over.
    func takeUnreadResponse(_ easy: OpaquePointer) -> Data? { unread.take(easy) }

    /// - Parameter name: Address and port of this side; also to be called when a new connection has them.
    func takeUnreadResponse(at name: @autoclosure () -> String) -> Data? {
        unread.isEmpty ? nil : unread.take(at: name())
    }
}
