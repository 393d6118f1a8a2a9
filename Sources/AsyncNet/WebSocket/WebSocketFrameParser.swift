import Foundation

/// Parses and checks frame heads (RFC 6455 §5.2), each byte as soon as it is there, so that a violation is found before
/// the bytes that would follow.
struct WebSocketFrameParser: Sendable {
    let role: WebSocketRole
    /// Whether compression was agreed, so that RSV1 has a meaning.
    let hasCompression: Bool
    let maximumFrameSize: Int

    /// The longest head: two bytes, a length of eight, a mask of four.
    static let longestHead = 14

    /// The head at the front of these bytes and its size; `nil` if it is not complete.
    func parse(_ input: Data) throws(WebSocketFailure) -> (head: WebSocketFrameHead, size: Int)? {
        let bytes = [UInt8](input)
        guard let first = bytes.first else { return nil }
        var head = try head(first)
        guard bytes.count > 1 else { return nil }
        try check(second: bytes[1], of: head)
        let lengthSize = [126: 2, 127: 8][bytes[1] & 0x7F] ?? 0
        guard bytes.count >= 2 + lengthSize else { return nil }
        head.length = try length(bytes[2..<2 + lengthSize], short: bytes[1] & 0x7F)
        if !head.opcode.isControl { try check(length: head.length) }
        let size = 2 + lengthSize + (role == .server ? 4 : 0)
        guard bytes.count >= size else { return nil }
        if role == .server { head.mask = WebSocketMask(bytes[size - 4..<size]) }
        return (head, size)
    }

    private func head(_ first: UInt8) throws(WebSocketFailure) -> WebSocketFrameHead {
        guard first & 0x30 == 0, first & 0x40 == 0 || hasCompression else {
            throw .violation("A frame has a reserved bit set, for which no extension was agreed")
        }
        guard let opcode = WebSocketOpcode(rawValue: first & 0x0F) else {
            throw .violation("A frame has the reserved opcode \(first & 0x0F)")
        }
        let (isFinal, isCompressed) = (first & 0x80 != 0, first & 0x40 != 0)
        guard isFinal || !opcode.isControl else { throw .violation("A control frame is fragmented") }
        guard !isCompressed || opcode == .text || opcode == .binary else {
            throw .violation("A frame that does not begin a message is marked as compressed")
        }
        return WebSocketFrameHead(opcode: opcode, isFinal: isFinal, isCompressed: isCompressed, length: 0)
    }

    private func check(second: UInt8, of head: WebSocketFrameHead) throws(WebSocketFailure) {
        let isMasked = second & 0x80 != 0
        guard isMasked == (role == .server) else {
            throw .violation(isMasked ? "The server sent a masked frame" : "The client sent a frame without a mask")
        }
        guard !head.opcode.isControl || second & 0x7F <= WebSocketOpcode.mostControlBytes else {
            throw .violation("A control frame has more than \(WebSocketOpcode.mostControlBytes) bytes")
        }
    }

    /// The length; refused if a shorter form exists, or if the highest of 64 bits is set.
    private func length(_ bytes: ArraySlice<UInt8>, short: UInt8) throws(WebSocketFailure) -> Int {
        guard !bytes.isEmpty else { return Int(short) }
        let length = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard length > (bytes.count == 2 ? 125 : 0xFFFF) else {
            throw .violation("A frame's length is not in its shortest form")
        }
        guard length <= UInt64(Int64.max) else { throw .violation("A frame's length has more than 63 bits") }
        return Int(clamping: length)
    }

    private func check(length: Int) throws(WebSocketFailure) {
        guard length <= maximumFrameSize else {
            throw .tooLarge("A frame of \(length) bytes is larger than the limit of \(maximumFrameSize)")
        }
    }
}
