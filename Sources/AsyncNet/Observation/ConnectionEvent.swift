/// A step in the life of a WebSocket or of a raw stream, in the order in which the steps happen. More cases may be
/// added in any release.
///
/// The handshakes of a WebSocket are requests, with the events of requests.
public enum ConnectionEvent: Sendable {
    /// The connection is being opened, for the first time or again.
    case opening
    /// The connection is open. `handshake` is the request that opened a WebSocket; `nil` for a raw stream.
    case opened(ConnectionInfo, handshake: RequestID?)

    /// A message of this size, before compression, was given to the connection.
    case sentMessage(isText: Bool, bytes: Int)
    /// A message of this size, after decompression, was received.
    case receivedMessage(isText: Bool, bytes: Int)
    /// A pong answered a ping, this time after the ping was sent. Automatic pings are reported too.
    case ponged(after: Duration)
    /// A close frame was sent.
    case sentClose(WebSocketCloseCode)
    /// The server's close frame was received.
    case receivedClose(WebSocketCloseCode)
    /// The connection was lost, and another connection is opened after this delay, see ``WebSocketReconnection``.
    case lost(AsyncNetError, reopensAfter: Duration)

    /// This number of bytes was given to the connection.
    case sentBytes(Int)
    /// The program has read this number of bytes.
    case receivedBytes(Int)

    /// The connection is over: with an error if it was not opened, or was lost. Sent exactly once after the first
    /// ``opening``; no event follows.
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
