import Foundation
import Testing

@testable import AsyncNet

/// The cases of Autobahn's test suite for the close, section 7, by their numbers there.
@Suite("Autobahn: close frames")
struct AutobahnClosingTests {
    private static let large = String(repeating: "BAsd7&jh23", count: 26_214)
    static let sequences: [WebSocketCase] = [
        WebSocketCase("7.1.1", [.text("Hello"), .close(1000)], [.text("Hello"), .close(1000)]),
        WebSocketCase("7.1.2", [.close(1000), .close(1000)], [.close(1000)]),
        WebSocketCase("7.1.3", [.close(1000), .ping("late")], [.close(1000)]),
        WebSocketCase("7.1.4", [.close(1000), .text("late")], [.close(1000)]),
        WebSocketCase(
            "7.1.5", [.text("fragment1", isFinal: false), .close(1000), .more("fragment2", isFinal: true)],
            [.close(1000)]),
        WebSocketCase("7.1.6", [.text(large), .close(1000), .ping("late")], [.text(large), .close(1000)]),
    ]

    private static let longest = String(repeating: "*", count: 123)
    static let payloads: [WebSocketCase] = [
        WebSocketCase("7.3.1", [RawFrame(opcode: 8)], [.close(nil)]),
        WebSocketCase("7.3.2", [RawFrame(opcode: 8, payload: [0x61])], fails: .protocolError),
        WebSocketCase("7.3.3", [.close(1000)], [.close(1000)]),
        WebSocketCase("7.3.4", [.close(1000, "Hello World!")], [.close(1000, "Hello World!")]),
        WebSocketCase("7.3.5", [.close(1000, longest)], [.close(1000, longest)]),
        WebSocketCase("7.3.6", [.close(1000, longest + "*")], fails: .protocolError),
        WebSocketCase(
            "7.5.1", [RawFrame(opcode: 8, payload: [0x03, 0xE8] + Array("κόσμε".utf8) + [0xED, 0xA0, 0x80])],
            fails: .invalidPayload),
    ]

    /// 1012 to 1014 were registered after Autobahn's table was made.
    private static let validCodes: [UInt16] = [
        1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999,
    ]
    private static let invalidCodes: [UInt16] = [
        0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535,
    ]
    static let codes: [WebSocketCase] =
        validCodes.map { WebSocketCase("7.7 \($0)", [.close($0)], [.close($0)]) }
        + invalidCodes.map { WebSocketCase("7.9, 7.13 \($0)", [.close($0)], fails: .protocolError) }

    @Test(
        "Autobahn 7: Each case of close frames gives the events, reply and failure that the suite expects",
        arguments: sequences + payloads + codes)
    func outcome(of example: WebSocketCase) {
        let faults = example.faults()
        #expect(faults.prefix(3) == [])
    }
}
