/// A step in the life of a WebSocket or of a raw stream, in the order in which the steps happen. More cases may be
/// added in any release.
///
/// The handshakes of a WebSocket are requests, with the events of requests.
public enum ConnectionEvent: Sendable {
    /// The connection is being opened, for the first time or again.
    case opening
    /// The connection is open. Of a WebSocket, by the handshake that is the request of this identifier.
    case opened(ConnectionInfo, handshake: RequestID?)

    /// A message with so many bytes, before compression, was given to the connection.
    case sentMessage(isText: Bool, bytes: Int)
    /// A message with so many bytes, after decompression, was received.
    case receivedMessage(isText: Bool, bytes: Int)
    /// A ping was answered, this time after it was sent. Also for pings that are sent by themselves.
    case ponged(after: Duration)
    /// A close frame was sent.
    case sentClose(WebSocketCloseCode)
    /// The server's close frame was received.
    case receivedClose(WebSocketCloseCode)
    /// The connection was lost, and another is opened after this delay, see ``WebSocketReconnection``.
    case lost(AsyncNetError, reopensAfter: Duration)

    /// So many bytes were given to the connection.
    case sentBytes(Int)
    /// The program has read so many bytes.
    case receivedBytes(Int)

    /// The connection is over: with an error if it was not opened, or was lost. Sent exactly once after the first
    /// ``opening``; nothing follows.
    case closed(AsyncNetError?)
}

extension ConnectionEvent: ShownByDescription {
    public var description: String {
        switch self {
        case .opening: "opening"
        case .opened(let connection, _): "opened: \(connection)"
        case .sentMessage(let isText, let bytes): "sent \(Self.kind(isText)) of \(bytes) bytes"
        case .receivedMessage(let isText, let bytes): "received \(Self.kind(isText)) of \(bytes) bytes"
        case .ponged(let time): "ponged after \(time)"
        case .sentClose(let code): "sent close \(code)"
        case .receivedClose(let code): "received close \(code)"
        case .lost(let error, let delay): "lost, opens again after \(delay): \(error)"
        case .sentBytes(let count): "sent \(count) bytes"
        case .receivedBytes(let count): "received \(count) bytes"
        case .closed(let error): "closed\(error.map { ": \($0)" } ?? "")"
        }
    }

    private static func kind(_ isText: Bool) -> String { isText ? "text" : "binary" }

    /// Whether a connection may have many such events: one for each message, or each piece of bytes.
    var isFrequent: Bool {
        switch self {
        case .sentMessage, .receivedMessage, .sentBytes, .receivedBytes: true
        default: false
        }
    }
}
