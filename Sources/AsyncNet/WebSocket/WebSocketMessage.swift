public import Foundation

/// A message of a WebSocket: a text or bytes (RFC 6455 §5.6), however many frames it is sent in.
public enum WebSocketMessage: Hashable, Sendable {
    /// A text, sent as UTF-8.
    case text(String)
    /// Bytes without a meaning for WebSocket.
    case binary(Data)

    var isText: Bool { if case .text = self { true } else { false } }

    var size: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let data): data.count
        }
    }
}

extension WebSocketMessage: ShownByDescription {
    /// The kind and the number of bytes; never the content, which may be secret.
    public var description: String {
        "\(isText ? "text" : "binary") of \(size) bytes"
    }
}
