import Foundation
import Testing

@testable import AsyncNet

/// The cases of Autobahn's test suite for WebSocket, sections 1 to 5, by their numbers there. A case of the suite that
/// differs from another only in how its bytes are cut is that other case here, since all cuts are tried.
@Suite("Autobahn: frames, pings, reserved bits, opcodes, fragments")
struct AutobahnFramingTests {
    private static let sizes = [0, 125, 126, 127, 128, 65535, 65536]

    static let framing: [WebSocketCase] = sizes.enumerated().flatMap { place, size in
        let text = String(repeating: "*", count: size)
        let bytes = [UInt8](repeating: 0xFE, count: size)
        return [
            WebSocketCase("1.1.\(place + 1)", [.text(text)], [.text(text)]),
            WebSocketCase("1.2.\(place + 1)", [.binary(bytes)], [.binary(bytes)]),
        ]
    }

    private static let most = String(repeating: "p", count: 125)
    private static let tenPings = (0..<10).map { "payload-\($0)" }
    static let pings: [WebSocketCase] = [
        WebSocketCase("2.1", [.ping()], [.ping("")]),
        WebSocketCase("2.2", [.ping("Hello, world!")], [.ping("Hello, world!")]),
        WebSocketCase(
            "2.3", [RawFrame(opcode: 9, payload: [0x00, 0xFF, 0xFE, 0xFD])], [.ping(Data([0x00, 0xFF, 0xFE, 0xFD]))]),
        WebSocketCase("2.4, 2.6", [.ping(most)], [.ping(most)]),
        WebSocketCase("2.5", [.ping(most + "p")], fails: .protocolError),
        WebSocketCase("2.7", [.pong()], [.pong("")]),
        WebSocketCase("2.8", [.pong("unsolicited")], [.pong("unsolicited")]),
        WebSocketCase("2.9", [.pong("unsolicited"), .ping("ping")], [.pong("unsolicited"), .ping("ping")]),
        WebSocketCase("2.10, 2.11", tenPings.map { .ping($0) }, tenPings.map { .ping($0) }),
    ]

    static let reserved: [WebSocketCase] = [
        WebSocketCase("3.1", [RawFrame(opcode: 1, reserved: 1)], fails: .protocolError),
        WebSocketCase(
            "3.2", [.text("Hello"), RawFrame(opcode: 1, reserved: 2), .ping()], [.text("Hello")], fails: .protocolError),
        WebSocketCase(
            "3.3", [.text("Hello"), RawFrame(opcode: 1, reserved: 3), .ping()], [.text("Hello")], fails: .protocolError),
        WebSocketCase(
            "3.4", [.text("Hello"), RawFrame(opcode: 1, reserved: 4), .ping()], [.text("Hello")], fails: .protocolError),
        WebSocketCase("3.5", [RawFrame(opcode: 2, payload: [0, 255], reserved: 5)], fails: .protocolError),
        WebSocketCase("3.6", [RawFrame(opcode: 9, payload: [65], reserved: 6)], fails: .protocolError),
        WebSocketCase("3.7", [RawFrame(opcode: 8, reserved: 7)], fails: .protocolError),
    ]

    static let opcodes: [WebSocketCase] = [("4.1", UInt8(3)), ("4.2", 11)].flatMap { section, first in
        (UInt8(0)..<5).map { place in
            let frame = RawFrame(opcode: first + place, payload: place % 2 == 0 ? [] : Array("reserved".utf8))
            let isAfterText = place > 1
            return WebSocketCase(
                "\(section).\(place + 1)", (isAfterText ? [.text("Hello")] : []) + [frame, .ping()],
                isAfterText ? [.text("Hello")] : [], fails: .protocolError)
        }
    }

    private static let lost: [RawFrame] = [.more("lost", isFinal: true), .text("Hello")]
    private static let lostOpen: [RawFrame] = [.more("lost", isFinal: false), .text("Hello")]
    private static let two: [RawFrame] = [.text("fragment1", isFinal: false), .more("fragment2", isFinal: true)]
    private static let five: [RawFrame] = [
        .text("1", isFinal: false), .more("2", isFinal: false), .ping("first"), .more("3", isFinal: false),
        .more("4", isFinal: false), .ping("second"), .more("5", isFinal: true),
    ]
    static let fragments: [WebSocketCase] = [
        WebSocketCase(
            "5.1", [RawFrame(opcode: 9, payload: [65], isFinal: false), .more("B", isFinal: true)],
            fails: .protocolError),
        WebSocketCase(
            "5.2", [RawFrame(opcode: 10, payload: [65], isFinal: false), .more("B", isFinal: true)],
            fails: .protocolError),
        WebSocketCase("5.3 to 5.5", two, [.text("fragment1fragment2")]),
        WebSocketCase(
            "5.6 to 5.8", [two[0], .ping("between"), two[1]], [.ping("between"), .text("fragment1fragment2")]),
        WebSocketCase("5.9 to 5.11", lost, fails: .protocolError),
        WebSocketCase("5.12 to 5.14", lostOpen, fails: .protocolError),
        WebSocketCase("5.15", two + lostOpen, [.text("fragment1fragment2")], fails: .protocolError),
        WebSocketCase("5.16", [.more("a", isFinal: false), .text("b", isFinal: false)], fails: .protocolError),
        WebSocketCase("5.17", [.more("a", isFinal: true), .text("b", isFinal: false)], fails: .protocolError),
        WebSocketCase("5.18", [.text("a", isFinal: false), .text("b", isFinal: true)], fails: .protocolError),
        WebSocketCase("5.19, 5.20", five, [.ping("first"), .ping("second"), .text("12345")]),
    ]

    @Test(
        "Autobahn 1 to 5: Each case gives the events, replies and failure that the suite expects",
        arguments: framing + pings + reserved + opcodes + fragments)
    func outcome(of example: WebSocketCase) {
        let faults = example.faults()
        #expect(faults.prefix(3) == [])
    }

    @Test(
        "1.1.8, 1.2.8: A message of 64 KiB that arrives in pieces of 997 bytes is received",
        arguments: [WebSocketRole.client, .server])
    func pieces(role: WebSocketRole) {
        for example in Self.framing.suffix(2) {
            let bytes = example.bytes(to: role)
            let outcome = WebSocketOutcome.of(bytes.pieces(of: 997), role: role)
            #expect(outcome == example.expected)
        }
    }
}

extension Data {
    /// The bytes in pieces of a size.
    func pieces(of size: Int) -> [Data] {
        stride(from: 0, to: count, by: size).map { Data(dropFirst($0).prefix(size)) }
    }
}
