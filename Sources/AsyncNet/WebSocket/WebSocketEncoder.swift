import Foundation

/// Makes frames (RFC 6455 §5.2), masked if this side is the client.
struct WebSocketEncoder: ~Copyable, Sendable {
    private let role: WebSocketRole
    private var masks: any RandomNumberGenerator & Sendable
    private var deflater: WebSocketDeflater?
    private let minimumSize: Int

    init(
        role: WebSocketRole, masks: any RandomNumberGenerator & Sendable, deflater: consuming WebSocketDeflater?,
        minimumSize: Int
    ) {
        self.role = role
        self.masks = masks
        self.minimumSize = minimumSize
        self.deflater = deflater
    }

    mutating func encode(_ message: WebSocketMessage, fragmentSize: Int?) throws(AsyncNetError) -> Data {
        switch message {
        case .text(let text): try encode(Data(text.utf8), as: .text, fragmentSize)
        case .binary(let data): try encode(data, as: .binary, fragmentSize)
        }
    }

    private mutating func encode(
        _ payload: Data, as opcode: WebSocketOpcode, _ fragmentSize: Int?
    ) throws(AsyncNetError) -> Data {
        let compressed = payload.count < minimumSize ? nil : try deflater?.compress(payload)
        var head = WebSocketFrameHead(opcode: opcode, isFinal: false, isCompressed: compressed != nil, length: 0)
        var rest = compressed ?? payload
        let most = max(1, fragmentSize ?? .max)
        var frames = Data()
        repeat {
            let piece = rest.prefix(most)
            rest = rest.dropFirst(piece.count)
            head.isFinal = rest.isEmpty
            append(head, piece, to: &frames)
            head = WebSocketFrameHead(opcode: .continuation, isFinal: false, length: 0)
        } while !rest.isEmpty
        return frames
    }

    /// A control frame; the payload has at most 125 bytes.
    mutating func control(_ opcode: WebSocketOpcode, _ payload: Data) -> Data {
        var frame = Data()
        append(WebSocketFrameHead(opcode: opcode, length: 0), payload, to: &frame)
        return frame
    }

    /// Each frame has a new mask, which whoever chooses the payload cannot predict (RFC 6455 §10.3).
    private mutating func append(_ head: WebSocketFrameHead, _ payload: Data, to frames: inout Data) {
        var head = head
        head.length = payload.count
        if role == .client { head.mask = WebSocketMask(masks.next() as UInt32) }
        if frames.isEmpty { frames.reserveCapacity(payload.count + WebSocketFrameParser.longestHead) }
        frames.append(head.bytes)
        let start = frames.count
        frames.append(payload)
        guard let mask = head.mask else { return }
        frames.withUnsafeMutableBytes { mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: $0[start...])) }
    }
}
