/// How a request uses bodies. Of a ``SessionEvent``, also whether it belongs to a WebSocket or a raw stream.
public enum RequestKind: Hashable, Sendable {
    /// The response's body is kept in memory.
    case data
    /// The request has a given body; the response's body is kept in memory.
    case upload
    /// The response's body goes to a file.
    case download
    /// The response's body is read as it arrives.
    case stream
    /// A WebSocket, whose handshakes are requests of their own. Only in a ``SessionEvent``.
    case webSocket
    /// A ``StreamConnection``. Only in a ``SessionEvent``.
    case connection
}
