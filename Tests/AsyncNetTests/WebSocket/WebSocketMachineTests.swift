import Foundation
import Testing

@testable import AsyncNet

@Suite("WebSocketMachine")
struct WebSocketMachineTests {
    private static let limits = WebSocketLimits(frame: 100, message: 200)

    private static func outcome(_ bytes: [UInt8], role: WebSocketRole = .client) -> WebSocketOutcome {
        WebSocketOutcome.of([Data(bytes)], role: role, limits: limits)
    }

    static let heads: [([UInt8], WebSocketCloseCode?)] = [
        ([0x82, 101], .messageTooBig), ([0x82, 100], nil), ([0x82, 126, 0, 125], .protocolError),
        ([0x82, 126, 0, 126], .messageTooBig), ([0x82, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], .protocolError),
        ([0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0], .messageTooBig),
        ([0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0], .protocolError),
        ([0x82, 127, 0x7F, 255, 255, 255, 255, 255, 255, 255], .messageTooBig), ([0x82, 0x80], .protocolError),
        ([0x88, 126], .protocolError), ([0x89, 127], .protocolError), ([0x83], .protocolError),
        ([0x09], .protocolError),
    ]

    @Test("An invalid or too large frame fails at its head, before its payload arrives", arguments: heads)
    func head(bytes: [UInt8], failure: WebSocketCloseCode?) {
        #expect(Self.outcome(bytes) == WebSocketOutcome(failure: failure))
    }

    @Test("A server refuses a frame without a mask")
    func unmasked() {
        #expect(Self.outcome([0x82, 0x00], role: .server) == WebSocketOutcome(failure: .protocolError))
    }

    @Test("Fragments beyond the message's limit fail at the head of the frame that would exceed it")
    func messageLimit() {
        let frame = [0x02, 100] + [UInt8](repeating: 0, count: 100)
        let more = [0x00, 100] + [UInt8](repeating: 0, count: 100)
        #expect(Self.outcome(frame + more + [0x80, 0]) == .init(events: [.binary([UInt8](repeating: 0, count: 200))]))
        #expect(Self.outcome(frame + more + [0x80, 1]) == WebSocketOutcome(failure: .messageTooBig))
    }

    @Test("A ping of 125 bytes is received although the limit of a frame is 100 bytes")
    func controlFrames() {
        let ping = [0x89, 125] + [UInt8](repeating: 0x61, count: 125)
        #expect(Self.outcome(ping + [0x82, 101]).failure == .messageTooBig)
        #expect(Self.outcome(ping + [0x82, 0]).failure == nil)
    }

    @Test("next() returns the events before a failure, then throws the failure at each later call")
    func order() throws {
        var machine = WebSocketMachine(role: .client, limits: Self.limits)
        machine.receive(Data([0x81, 1, 0x61, 0x82, 0, 0x83]))
        let first = try machine.next()
        let second = try machine.next()
        #expect(first == .text("a"))
        #expect(second == .binary([]))
        for _ in 0..<2 {
            let failure = #expect(throws: WebSocketFailure.self) { try next(&machine) }
            #expect(failure?.closeCode == .protocolError)
            #expect(failure?.error.code == .webSocketProtocolViolated)
            machine.receive(Data([0x82, 0]))
        }
    }

    @Test("Slices of Data that do not begin at index 0 are parsed")
    func slices() throws {
        var machine = WebSocketMachine(role: .client, limits: Self.limits)
        machine.receive(Data([9, 9, 9, 0x81, 2])[3...])
        machine.receive(Data([9, 0x61, 0x62, 0x82, 0])[1...])
        let first = try machine.next()
        let second = try machine.next()
        #expect(first == .text("ab"))
        #expect(second == .binary([]))
    }

    @Test("A close frame is replied to once, and no other frame can be sent after the reply")
    func reply() throws {
        var machine = WebSocketMachine(role: .server, limits: Self.limits)
        let close = machine.reply(to: .close(4000, "why"))
        #expect(close == Data([0x88, 2, 0x0F, 0xA0]))
        let hasSentClose = machine.hasSentClose
        #expect(hasSentClose)
        let ping = machine.reply(to: .ping("late"))
        let again = machine.closeFrame(for: .violation("late"))
        #expect(ping == nil)
        #expect(again == nil)
        let error = #expect(throws: AsyncNetError.self) { try send(&machine) }
        #expect(error?.code == .webSocketClosed)
        let second = #expect(throws: AsyncNetError.self) { try sendClose(&machine, .normalClosure, "") }
        #expect(second?.code == .webSocketClosed)
    }

    @Test("After a close frame was sent, messages are received up to the peer's close, which gets no reply")
    func closing() throws {
        var machine = WebSocketMachine(role: .server, limits: Self.limits)
        let close = try machine.encodeClose(.goingAway, reason: "é")
        #expect(close == Data([0x88, 4, 0x03, 0xE9, 0xC3, 0xA9]))
        let frames: [RawFrame] = [.text("last"), .close(1001), .text("late")]
        machine.receive(Data(frames.flatMap { $0.bytes(from: .client) }))
        let message = try machine.next()
        let event = try machine.next()
        let none = try machine.next()
        #expect(message == .text("last"))
        #expect(event == .close(1001))
        #expect(none == nil)
        let hasReceivedClose = machine.hasReceivedClose
        #expect(hasReceivedClose)
        let reply = machine.reply(to: .close(1001))
        #expect(reply == nil)
    }

    static let closes: [(UInt16?, String, Bool)] = [
        (nil, "", true), (nil, "why", false), (1000, "", true), (1003, "", true), (1004, "", false), (1005, "", false),
        (1006, "", false), (1007, "", true), (1014, "", true), (1015, "", false), (999, "", false), (2999, "", false),
        (3000, "", true), (4999, "", true), (5000, "", false), (1000, String(repeating: "é", count: 61), true),
        (1000, String(repeating: "é", count: 62), false),
    ]

    @Test(
        "encodeClose() makes a frame, or throws .invalidRequest if code or reason must not be sent (RFC 6455 §7.4)",
        arguments: closes)
    func encodesClose(code: UInt16?, reason: String, isAllowed: Bool) throws {
        var machine = WebSocketMachine(role: .client, limits: Self.limits)
        let code = code.map(WebSocketCloseCode.init)
        guard !isAllowed else {
            let frame = try machine.encodeClose(code, reason: reason)
            let received = WebSocketOutcome.of([frame], role: .server).events
            #expect(received == [.close(code: code, reason: reason)])
            return
        }
        let error = #expect(throws: AsyncNetError.self) { try sendClose(&machine, code, reason) }
        #expect(error?.code == .invalidRequest)
        let hasSentClose = machine.hasSentClose
        #expect(!hasSentClose)
    }

    @Test("Each kind of failure has its close code (1002, 1007, 1009, 1011) and its error")
    func failures() {
        let failures: [(WebSocketFailure, UInt8, AsyncNetError.Code)] = [
            (.violation("a"), 0xEA, .webSocketProtocolViolated), (.invalidData("a"), 0xEF, .webSocketProtocolViolated),
            (.tooLarge("a"), 0xF1, .webSocketMessageTooLarge), (.inability("a"), 0xF3, .transportFailed),
        ]
        for (failure, byte, code) in failures {
            var machine = WebSocketMachine(role: .server, limits: Self.limits)
            let frame = machine.closeFrame(for: failure)
            #expect(frame == Data([0x88, 2, 0x03, byte]))
            #expect(failure.error.code == code)
        }
    }

    @Test("A ping of 125 bytes is encoded, and a ping of 126 bytes throws .invalidRequest")
    func controls() throws {
        var machine = WebSocketMachine(role: .server, limits: Self.limits)
        let ping = try machine.encodePing(Data(count: 125))
        let pong = try machine.encodePong(Data([1]))
        #expect(ping == Data([0x89, 125]) + Data(count: 125))
        #expect(pong == Data([0x8A, 1, 1]))
        let error = #expect(throws: AsyncNetError.self) { try sendPing(&machine, Data(count: 126)) }
        #expect(error?.code == .invalidRequest)
    }

    @Test("Descriptions and dumps of messages do not show their content")
    func descriptions() {
        let messages: [WebSocketMessage] = [.text("secret"), .binary(Data("secret".utf8))]
        for message in messages {
            var dumped = ""
            dump(WebSocketEvent.message(message), to: &dumped)
            #expect(!dumped.contains("secret"))
            #expect(!"\(message)".contains("secret"))
            #expect(!"\(WebSocketEvent.message(message))".contains("secret"))
        }
    }
}

private func send(_ machine: inout WebSocketMachine) throws -> Data { try machine.encode(.text("")) }
private func sendPing(_ machine: inout WebSocketMachine, _ payload: Data) throws -> Data {
    try machine.encodePing(payload)
}
private func sendClose(
    _ machine: inout WebSocketMachine, _ code: WebSocketCloseCode?, _ reason: String
) throws -> Data { try machine.encodeClose(code, reason: reason) }
