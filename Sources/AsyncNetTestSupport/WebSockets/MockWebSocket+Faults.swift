import AsyncNet
import Foundation

extension MockWebSocket.Fault {
    /// What is sent in place of the first message; `nil` if the fault is not one of a message.
    func frame(for message: WebSocketMessage) -> Data? {
        let payload = Self.payload(of: message)
        let length = UInt8(payload.count)
        switch self {
        case .wrongAccept, .noPong, .noClose, .endWithoutClose, .drip: return nil
        case .maskedFrame: return Data([0x82, 0x80 | length, 0, 0, 0, 0]) + payload
        case .invalidUTF8: return Data([0x81, 3, 0x61, 0xC0, 0x80])
        case .reservedBits: return Data([0xB2, length]) + payload
        case .unknownOpcode: return Data([0x83, length]) + payload
        case .oversizedFrame: return Data([0x82, 127, 0x40, 0, 0, 0, 0, 0, 0, 0]) + payload
        case .endInFrame, .resetInFrame: return Data([0x82, 125]) + payload.prefix(60)
        }
    }

    /// The first bytes of a message, as many as a frame with a head of two bytes may have.
    private static func payload(of message: WebSocketMessage) -> Data {
        switch message {
        case .text(let text): Data(text.utf8.prefix(125))
        case .binary(let data): Data(data.prefix(125))
        }
    }
}
