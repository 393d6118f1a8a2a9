import Foundation
import Testing

@testable import AsyncNet

@Suite("Masks of WebSocket frames")
struct WebSocketMaskTests {
    @Test("The text Hello is masked to the bytes of the example in RFC 6455 §5.7")
    func example() {
        var bytes = Array("Hello".utf8)
        let mask = WebSocketMask([0x37, 0xFA, 0x21, 0x3D])
        bytes.withUnsafeMutableBytes { mask.apply(to: $0) }
        #expect(bytes == [0x7F, 0x9F, 0x4D, 0x51, 0x58])
        #expect(mask.bytes == [0x37, 0xFA, 0x21, 0x3D])
    }

    @Test("Bytes of each size, at each offset, are masked to the same bytes as by a loop over single bytes")
    func reference() {
        let key: [UInt8] = [1, 2, 4, 8]
        for size in 0...40 {
            for offset in 0...9 {
                let bytes = (0..<size).map { UInt8($0 * 7 & 0xFF) }
                var masked = bytes
                masked.withUnsafeMutableBytes { WebSocketMask(key).apply(to: $0, at: offset) }
                let expected = bytes.enumerated().map { $0.element ^ key[($0.offset + offset) & 3] }
                #expect(masked == expected, "\(size) bytes at \(offset)")
            }
        }
    }

    @Test("Bytes in unaligned memory are masked")
    func unaligned() {
        var bytes = [UInt8](repeating: 0, count: 21)
        bytes.withUnsafeMutableBytes { buffer in
            WebSocketMask([1, 2, 3, 4]).apply(to: UnsafeMutableRawBufferPointer(rebasing: buffer[3...]))
        }
        let masked: [UInt8] = [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2]
        #expect(bytes == [0, 0, 0] + masked)
    }

    @Test("A client masks each frame with another key, a server masks none")
    func keys() throws {
        let message = WebSocketMessage.binary(Data(count: 8))
        let limits = WebSocketLimits(frame: 100, message: 100)
        var client = WebSocketMachine(role: .client, limits: limits, masks: SeededRandom(state: 1))
        let frames = try client.encode(message, fragmentSize: 4)
        // Zeros show the key.
        #expect(frames[1] == 0x84)
        #expect(frames[2..<6] == frames[6..<10])
        #expect(frames[12..<16] == frames[16..<20])
        #expect(frames[2..<6] != frames[12..<16])
        var server = WebSocketMachine(role: .server, limits: limits)
        let unmasked = try server.encode(message)
        #expect(unmasked == Data([0x82, 0x08]) + Data(count: 8))
    }
}
