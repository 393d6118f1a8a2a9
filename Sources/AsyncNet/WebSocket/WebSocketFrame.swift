import Foundation

/// The kind of a frame (RFC 6455 §5.2).
enum WebSocketOpcode: UInt8, Sendable {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// Whether the frame is a close, ping or pong, which is no part of a message (RFC 6455 §5.5).
    var isControl: Bool { rawValue & 0x8 != 0 }

    static let mostControlBytes = 125
}

/// Which end of a connection this is: a client masks its frames, a server does not (RFC 6455 §5.1).
package enum WebSocketRole: Hashable, Sendable {
    case client, server
}

/// A frame's head (RFC 6455 §5.2).
struct WebSocketFrameHead: Equatable, Sendable {
    var opcode: WebSocketOpcode
    var isFinal = true
    /// RSV1: the message that this frame begins is compressed (RFC 7692 §6).
    var isCompressed = false
    var length: Int
    var mask: WebSocketMask?

    /// The head as it is sent, with the shortest form of the length.
    var bytes: Data {
        var bytes = Data([(isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue])
        let maskBit: UInt8 = mask == nil ? 0 : 0x80
        switch length {
        case ...125: bytes.append(maskBit | UInt8(length))
        case ...0xFFFF:
            bytes.append(maskBit | 126)
            withUnsafeBytes(of: UInt16(length).bigEndian) { bytes.append(contentsOf: $0) }
        default:
            bytes.append(maskBit | 127)
            withUnsafeBytes(of: UInt64(length).bigEndian) { bytes.append(contentsOf: $0) }
        }
        if let mask { bytes.append(contentsOf: mask.bytes) }
        return bytes
    }
}
