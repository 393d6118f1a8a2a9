import Foundation
import Testing

@testable import AsyncNet

@Suite("Compressed WebSocket messages")
struct WebSocketInflaterTests {
    private static let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
    private static let final: [UInt8] = [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]

    private static func frame(_ payload: [UInt8]) -> RawFrame { RawFrame(opcode: 1, payload: payload, reserved: 4) }

    static let examples: [WebSocketCase] = [
        WebSocketCase("7.2.3.1", [frame(hello)], [.text("Hello")]),
        WebSocketCase(
            "7.2.3.1, fragments",
            [
                RawFrame(opcode: 1, payload: Array(hello[..<3]), isFinal: false, reserved: 4),
                .more(Array(hello[3...]), isFinal: true),
            ], [.text("Hello")]),
        WebSocketCase(
            "7.2.3.2", [frame(hello), frame([0xF2, 0x00, 0x11, 0x00, 0x00])], [.text("Hello"), .text("Hello")]),
        WebSocketCase(
            "7.2.3.3", [frame([0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00])], [.text("Hello")]),
        WebSocketCase("7.2.3.4", [frame(final + [0x00]), frame(hello)], [.text("Hello"), .text("Hello")]),
        WebSocketCase(
            "7.2.3.4, then the window before", [frame(final + [0x00]), frame([0xF2, 0x00, 0x11, 0x00, 0x00])],
            [.text("Hello"), .text("Hello")]),
        WebSocketCase("The last block is the end", [frame(final), frame(hello)], [.text("Hello"), .text("Hello")]),
        WebSocketCase(
            "7.2.3.5",
            [frame([0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00])], [.text("Hello")]),
        WebSocketCase(
            "7.2.3.6", [frame([0x00]), frame([0x00]), frame(hello)], [.text(""), .text(""), .text("Hello")]),
        WebSocketCase("7.2.3.6, without its byte", [frame([]), frame(hello)], fails: .invalidPayload),
        WebSocketCase(
            "A message without compression between",
            [frame(hello), .text("plain"), frame([0xF2, 0x00, 0x11, 0x00, 0x00])],
            [.text("Hello"), .text("plain"), .text("Hello")]),
        WebSocketCase("A block of a reserved type", [frame([0x07, 0x00])], fails: .invalidPayload),
        WebSocketCase("The end inside a block", [frame(Array(hello[..<4]))], fails: .invalidPayload),
        WebSocketCase("A distance before the start", [frame([0xF2, 0x00, 0x11, 0x00, 0x00])], fails: .invalidPayload),
        WebSocketCase(
            "A text that is not UTF-8", [frame([0x00, 0x01, 0x00, 0xFE, 0xFF, 0xFF, 0x00])], fails: .invalidPayload),
        WebSocketCase(
            "A compressed continuation",
            [RawFrame(opcode: 1, isFinal: false, reserved: 4), RawFrame(opcode: 0, reserved: 4)], fails: .protocolError),
        WebSocketCase("A compressed ping", [RawFrame(opcode: 9, reserved: 4)], fails: .protocolError),
        WebSocketCase("Another bit", [RawFrame(opcode: 1, reserved: 6)], fails: .protocolError),
    ]

    @Test("The examples of RFC 7692 §7.2.3 are inflated, and invalid compressed frames fail", arguments: examples)
    func example(_ example: WebSocketCase) {
        for role in [WebSocketRole.client, .server] {
            let bytes = example.bytes(to: role)
            for cut in 0...bytes.count {
                let pieces = [bytes.prefix(cut), bytes.dropFirst(cut)]
                let outcome = WebSocketOutcome.of(pieces, role: role, compression: WebSocketDeflate())
                if outcome != example.expected { Issue.record("\(role), cut at \(cut): \(outcome)") }
            }
        }
    }

    @Test("Without context takeover a message cannot refer to the one before it")
    func noTakeover() {
        var agreed = WebSocketDeflate()
        agreed.serverContextTakeover = false
        let again = Self.frame([0xF2, 0x00, 0x11, 0x00, 0x00])
        let bytes = Data(Self.frame(Self.hello).bytes(from: .server) + again.bytes(from: .server))
        let outcome = WebSocketOutcome.of([bytes], role: .client, compression: agreed)
        #expect(outcome == WebSocketOutcome(events: [.text("Hello")], failure: .invalidPayload))
    }

    @Test(
        "A small frame that inflates beyond the message's limit fails with close code 1009", arguments: [true, false])
    func bomb(isText: Bool) throws {
        var agreed = WebSocketDeflate()
        agreed.minimumSize = 0
        let large = WebSocketLimits(frame: 1 << 20, message: 1 << 30)
        var peer = WebSocketMachine(role: .server, compression: agreed, limits: large)
        let zeros =
            isText ? WebSocketMessage.text(String(repeating: "0", count: 1 << 24)) : .binary(Data(count: 1 << 24))
        let bomb = try peer.encode(zeros)
        #expect(bomb.count < 20_000)
        let limits = WebSocketLimits(frame: 1 << 20, message: 1 << 20)
        let outcome = WebSocketOutcome.of([bomb], role: .client, compression: agreed, limits: limits)
        #expect(outcome == WebSocketOutcome(failure: .messageTooBig))
    }

    @Test(
        "A compressed message that inflates to the limit is received, and one a byte larger fails",
        arguments: [(99, false), (100, false), (101, true)])
    func limit(size: Int, fails: Bool) throws {
        var agreed = WebSocketDeflate()
        agreed.minimumSize = 0
        let limits = WebSocketLimits(frame: 1000, message: 100)
        var peer = WebSocketMachine(role: .server, compression: agreed, limits: limits)
        let message = WebSocketMessage.binary(Data(count: size))
        let outcome = WebSocketOutcome.of(
            [try peer.encode(message)], role: .client, compression: agreed, limits: limits)
        #expect(outcome.failure == (fails ? .messageTooBig : nil))
        #expect(outcome.events == (fails ? [] : [.message(message)]))
    }

    @Test("A message below 1024 bytes, or with an agreed window of 256 bytes, is sent uncompressed")
    func threshold() throws {
        let limits = WebSocketLimits(frame: 10000, message: 10000)
        let agreed = WebSocketDeflate()
        var client = WebSocketMachine(role: .client, compression: agreed, limits: limits)
        let small = try client.encode(.binary(Data(count: 1023)))
        let large = try client.encode(.binary(Data(count: 1024)))
        #expect(small.count == 1031)
        #expect(large.count < 50)
        var narrow = agreed
        narrow.clientWindowBits = 8
        var limited = WebSocketMachine(role: .client, compression: narrow, limits: limits)
        let plain = try limited.encode(.binary(Data(count: 1024)))
        #expect(plain.first == 0x82)
        #expect(plain.count == 1032)
    }

    @Test("Empty messages are sent compressed, and received between others", arguments: [true, false])
    func empty(takesOver: Bool) throws {
        let limits = WebSocketLimits(frame: 100, message: 100)
        var agreed = WebSocketDeflate()
        (agreed.minimumSize, agreed.clientContextTakeover) = (0, takesOver)
        var client = WebSocketMachine(role: .client, compression: agreed, limits: limits)
        var server = WebSocketMachine(role: .server, compression: agreed, limits: limits)
        for text in ["", "", "a", "", "a"] {
            let frame = try client.encode(.text(text))
            #expect(frame[0] == 0xC1)
            #expect(!text.isEmpty || frame.count == 7)
            server.receive(frame)
            let message = try server.next()
            #expect(message == .text(text))
        }
    }

    @Test("A message that repeats the last one becomes smaller only with context takeover")
    func takeover() throws {
        var random = SeededRandom(state: 1)
        let message = WebSocketMessage.binary(Data((0..<2000).map { _ in UInt8.random(in: 0...255, using: &random) }))
        let limits = WebSocketLimits(frame: 10000, message: 10000)
        var agreed = WebSocketDeflate()
        for takesOver in [true, false] {
            agreed.clientContextTakeover = takesOver
            var client = WebSocketMachine(role: .client, compression: agreed, limits: limits)
            let first = try client.encode(message)
            let second = try client.encode(message)
            #expect(first.count > 2000)
            #expect((second.count < 100) == takesOver)
        }
    }

    @Test("Only the first fragment of a compressed message has RSV1, and the agreed window is not exceeded")
    func fragments() throws {
        let limits = WebSocketLimits(frame: 100_000, message: 100_000)
        var agreed = WebSocketDeflate()
        var server = WebSocketMachine(role: .server, compression: agreed, limits: limits)
        let bytes = try server.encode(.binary(Data(count: 5000)), fragmentSize: 10)
        #expect(bytes[0] == 0x42)
        #expect(bytes[12] == 0x00 || bytes[12] == 0x80)
        var random = SeededRandom(state: 1)
        let half = Data((0..<2000).map { _ in UInt8.random(in: 0...255, using: &random) })
        let whole = try server.encode(.binary(half + half))
        agreed.serverWindowBits = 9
        var narrow = WebSocketMachine(role: .server, compression: agreed, limits: limits)
        let wide = try narrow.encode(.binary(half + half))
        #expect(whole.count < 2500)
        #expect(wide.count > 3900)
    }
}
