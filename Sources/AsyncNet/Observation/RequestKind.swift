/// How a request uses bodies. Of events, also which connection they belong to that is no request.
public enum RequestKind: Hashable, Sendable {
    /// The response's body is kept in memory.
    case data
    /// The request has a given body; the response's body is kept in memory.
    case upload
    /// The response's body goes to a file.
    case download
    /// The response's body is read as it arrives.
    case stream
    /// A WebSocket, whose handshakes are requests of their own. Of a ``SessionEvent`` only.
    case webSocket
    /// A ``StreamConnection``. Of a ``SessionEvent`` only.
    case connection
}
