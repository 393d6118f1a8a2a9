import Foundation

@testable import AsyncNet

/// A frame as bytes, valid or not.
struct RawFrame: Sendable {
    var opcode: UInt8
    var payload: [UInt8] = []
    var isFinal = true
    /// RSV1 is 4, RSV2 is 2, RSV3 is 1.
    var reserved: UInt8 = 0

    static func text(_ text: String, isFinal: Bool = true) -> RawFrame {
        RawFrame(opcode: 1, payload: Array(text.utf8), isFinal: isFinal)
    }

    static func binary(_ payload: [UInt8], isFinal: Bool = true) -> RawFrame {
        RawFrame(opcode: 2, payload: payload, isFinal: isFinal)
    }

    static func more(_ text: String, isFinal: Bool) -> RawFrame { more(Array(text.utf8), isFinal: isFinal) }
    static func more(_ payload: [UInt8], isFinal: Bool) -> RawFrame {
        RawFrame(opcode: 0, payload: payload, isFinal: isFinal)
    }

    static func ping(_ text: String = "") -> RawFrame { RawFrame(opcode: 9, payload: Array(text.utf8)) }
    static func pong(_ text: String = "") -> RawFrame { RawFrame(opcode: 10, payload: Array(text.utf8)) }

    static func close(_ code: UInt16, _ reason: String = "") -> RawFrame {
        RawFrame(opcode: 8, payload: [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8))
    }

    /// The frame as this side sends it. Written apart from the library's encoder, which could have the parser's faults.
    func bytes(from role: WebSocketRole) -> [UInt8] {
        let maskBit: UInt8 = role == .client ? 0x80 : 0
        var bytes = [(isFinal ? 0x80 : 0) | reserved << 4 | opcode]
        switch payload.count {
        case ..<126: bytes.append(maskBit | UInt8(payload.count))
        case ..<65536: bytes += [maskBit | 126] + Self.bytes(payload.count, 2)
        default: bytes += [maskBit | 127] + Self.bytes(payload.count, 8)
        }
        guard role == .client else { return bytes + payload }
        let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
        return bytes + mask + payload.enumerated().map { $0.element ^ mask[$0.offset & 3] }
    }

    private static func bytes(_ number: Int, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(number >> ($0 * 8) & 0xFF) }
    }
}

/// What a machine has made of bytes.
struct WebSocketOutcome: Equatable, CustomStringConvertible {
    var events: [WebSocketEvent] = []
    /// What the peer receives in return.
    var replies: [WebSocketEvent] = []
    var failure: WebSocketCloseCode?

    var description: String {
        "\(events), replies \(replies), failure \(failure.map(String.init(describing:)) ?? "none")"
    }

    /// Receives the pieces, and calls `next` after each until there is no event.
    static func of(
        _ pieces: [Data], role: WebSocketRole, compression: WebSocketDeflate? = nil,
        limits: WebSocketLimits = WebSocketLimits(frame: 1 << 25, message: 1 << 25)
    ) -> WebSocketOutcome {
        var machine = WebSocketMachine(role: role, compression: compression, limits: limits)
        var peer = WebSocketMachine(role: role.peer, compression: compression, limits: limits)
        var outcome = WebSocketOutcome()
        for piece in pieces {
            machine.receive(piece)
            outcome.drain(&machine, &peer)
        }
        return outcome
    }

    private mutating func drain(_ machine: inout WebSocketMachine, _ peer: inout WebSocketMachine) {
        do throws(WebSocketFailure) {
            while let event = try machine.next() {
                events.append(event)
                if let reply = machine.reply(to: event) { peer.receive(reply) }
                if let reply = try peer.next() { replies.append(reply) }
            }
        } catch {
            failure = error.closeCode
        }
    }
}

/// Frames and what they mean to both roles.
struct WebSocketCase: Sendable, CustomStringConvertible {
    let number: String
    let frames: [RawFrame]
    var events: [WebSocketEvent] = []
    var failure: WebSocketCloseCode?

    init(_ number: String, _ frames: [RawFrame], _ events: [WebSocketEvent] = [], fails: WebSocketCloseCode? = nil) {
        (self.number, self.frames, self.events, failure) = (number, frames, events, fails)
    }

    var description: String { number }

    func bytes(to role: WebSocketRole) -> Data { Data(frames.flatMap { $0.bytes(from: role.peer) }) }

    /// The outcome that RFC 6455 requires: a pong for each ping, a close frame for the peer's.
    var expected: WebSocketOutcome {
        let replies: [WebSocketEvent] = events.compactMap { event in
            switch event {
            case .ping(let payload): .pong(payload)
            case .close(let code, _): .close(code: code, reason: "")
            case .message, .pong: nil
            }
        }
        return WebSocketOutcome(events: events, replies: replies, failure: failure)
    }

    /// What is not as expected, as text: for both roles, with the bytes as a whole, one by one, and in two pieces
    /// wherever they can be cut. Many bytes are only cut into pieces of 1000.
    func faults() -> [String] {
        [WebSocketRole.client, .server].flatMap { role in
            let bytes = bytes(to: role)
            var cuts = [[bytes], bytes.pieces(of: bytes.count < 2000 ? 1 : 1000)]
            if bytes.count < 400 { cuts += (0...bytes.count).map { [bytes.prefix($0), bytes.dropFirst($0)] } }
            return cuts.compactMap { pieces in
                let outcome = WebSocketOutcome.of(pieces, role: role)
                return outcome == expected
                    ? nil : "\(number), \(role), pieces \(pieces.map(\.count)): \(outcome), not \(expected)"
            }
        }
    }
}

extension WebSocketEvent {
    static func text(_ text: String) -> WebSocketEvent { .message(.text(text)) }
    static func binary(_ bytes: [UInt8]) -> WebSocketEvent { .message(.binary(Data(bytes))) }
    static func ping(_ text: String) -> WebSocketEvent { .ping(Data(text.utf8)) }
    static func pong(_ text: String) -> WebSocketEvent { .pong(Data(text.utf8)) }
    static func close(_ code: UInt16?, _ reason: String = "") -> WebSocketEvent {
        .close(code: code.map(WebSocketCloseCode.init), reason: reason)
    }
}
