import Foundation
import Testing

@testable import AsyncNet

/// Frames with random changes: nothing traps, hangs or takes more memory than the limits, and no cut of the bytes
/// changes what is received. `Scripts/fuzz` sends a million and more.
@Suite("WebSocket frames, fuzzed", .timeLimit(.minutes(30)))
struct WebSocketFuzzTests {
    private static let limits = WebSocketLimits(frame: 4096, message: 8192)
    /// Small sequences of frames as each role receives them, with and without compression.
    private static let seeds: [(role: WebSocketRole, compression: WebSocketDeflate?, bytes: [UInt8])] =
        [WebSocketRole.client, .server].flatMap { role in
            [nil, WebSocketDeflate(), narrow].map { (role, $0, sequence(to: role, $0)) }
        }

    private static var narrow: WebSocketDeflate {
        var narrow = WebSocketDeflate()
        (narrow.clientContextTakeover, narrow.serverContextTakeover) = (false, false)
        (narrow.clientWindowBits, narrow.serverWindowBits) = (9, 9)
        return narrow
    }

    private static func sequence(to role: WebSocketRole, _ compression: WebSocketDeflate?) -> [UInt8] {
        var compression = compression
        compression?.minimumSize = 0
        var peer = WebSocketMachine(
            role: role.peer, compression: compression, limits: limits, masks: SeededRandom(state: 3))
        var bytes = Data()
        for message in [WebSocketMessage.text("Hello-µ@ßöä"), .binary(Data(count: 300)), .text("κόσμε\u{1F600}")] {
            bytes += (try? peer.encode(message, fragmentSize: 20)) ?? Data()
            bytes += (try? peer.encodePing(Data("ping".utf8))) ?? Data()
        }
        return [UInt8](bytes + ((try? peer.encodeClose(.goingAway, reason: "bye")) ?? Data()))
    }

    /// One to four changes: a bit, a byte, a range that is removed or repeated, a head that is inserted.
    private static func mutated(_ original: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = original
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, place + Int.random(in: 0...20, using: &random))
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
            case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes.removeSubrange(place..<end)
            case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
            default: bytes.insert(contentsOf: [UInt8.random(in: 0...255, using: &random), 0x83, 1], at: place)
            }
        }
        return bytes
    }

    @Test("Mutated frames give the same outcome as a whole and in pieces, within the limits")
    func frames() {
        var random = Fuzzing.random(20)
        for number in 0..<Fuzzing.inputs(10_000) {
            let seed = Self.seeds[number % Self.seeds.count]
            let bytes = Data(Self.mutated(seed.bytes, &random))
            let cut = Int.random(in: 1...40, using: &random)
            let whole = WebSocketOutcome.of(
                [bytes], role: seed.role, compression: seed.compression, limits: Self.limits)
            let split = WebSocketOutcome.of(
                bytes.pieces(of: cut), role: seed.role, compression: seed.compression, limits: Self.limits)
            if whole != split || !Self.isWithinLimits(whole) {
                Issue.record("number \(number), \([UInt8](bytes)): \(whole) as a whole, \(split) in pieces of \(cut)")
            }
        }
    }

    private static func isWithinLimits(_ outcome: WebSocketOutcome) -> Bool {
        outcome.events.allSatisfy { event in
            switch event {
            case .message(.text(let text)): text.utf8.count <= limits.message
            case .message(.binary(let data)): data.count <= limits.message
            case .ping(let data), .pong(let data): data.count <= 125
            case .close(let code, let reason): code?.isAllowedInFrame != false && reason.utf8.count <= 123
            }
        }
    }

    @Test("Random Sec-WebSocket-Extensions are refused, or their parameters are written as they were parsed")
    func extensions() {
        var random = Fuzzing.random(21)
        let words = [
            "permessage-deflate", "server_max_window_bits", "client_max_window_bits", "client_no_context_takeover", "=",
            ";", ",", "\"", "\\", "8", "15", "9", " ", "é", "\0",
        ]
        for _ in 0..<Fuzzing.inputs(2000) {
            let text = (0..<Int.random(in: 0...9, using: &random)).map { _ in
                words.randomElement(using: &random) ?? ""
            }.joined()
            for element in WebSocketExtension.list(text) ?? [] {
                guard let parameters = WebSocketDeflateParameters(element) else { continue }
                let again = WebSocketExtension.list(parameters.text)?.first.flatMap(WebSocketDeflateParameters.init)
                if again != parameters { Issue.record("\(text.debugDescription)") }
            }
        }
    }
}
