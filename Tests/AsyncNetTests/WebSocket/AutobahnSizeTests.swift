import Foundation
import Testing

@testable import AsyncNet

/// The cases of Autobahn's test suite for large and many messages, section 9, by their numbers there.
@Suite("Autobahn: large and many messages", .timeLimit(.minutes(5)))
struct AutobahnSizeTests {
    private static let limits = WebSocketLimits(frame: 1 << 24, message: 1 << 24)

    private static func message(_ size: Int, isText: Bool) -> WebSocketMessage {
        isText ? .text(String(repeating: "*", count: size)) : .binary(Data(repeating: 0xFE, count: size))
    }

    /// Sends a message from a client to a server, whose `receive` gets pieces of a size.
    private static func transfer(
        _ message: WebSocketMessage, fragmentSize: Int? = nil, pieces: Int = 16 * 1024
    ) throws -> [WebSocketEvent] {
        var client = WebSocketMachine(role: .client, limits: limits)
        var server = WebSocketMachine(role: .server, limits: limits)
        let bytes = try client.encode(message, fragmentSize: fragmentSize)
        var events: [WebSocketEvent] = []
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            server.receive(bytes[start..<min(start + pieces, bytes.count)])
            while let event = try server.next() { events.append(event) }
        }
        return events
    }

    @Test(
        "9.1, 9.2: A message of 64 KiB to 16 MiB in one frame is received", arguments: [16, 18, 20, 22, 23, 24],
        [true, false])
    func large(bits: Int, isText: Bool) throws {
        let message = Self.message(1 << bits, isText: isText)
        let events = try Self.transfer(message)
        #expect(events.count == 1)
        #expect(events.first == .message(message))
    }

    @Test(
        "9.3, 9.4: A message of 4 MiB in fragments of 64 bytes to 4 MiB is received",
        arguments: [6, 8, 10, 12, 14, 16, 18, 20, 22],
        [true, false])
    func fragments(bits: Int, isText: Bool) throws {
        let message = Self.message(1 << 22, isText: isText)
        let events = try Self.transfer(message, fragmentSize: 1 << bits)
        #expect(events.count == 1)
        #expect(events.first == .message(message))
    }

    @Test(
        "9.5, 9.6: A message of 1 MiB that arrives in pieces of 64 bytes to 2 KiB is received",
        arguments: [6, 7, 8, 9, 10, 11], [true, false])
    func pieces(bits: Int, isText: Bool) throws {
        let message = Self.message(1 << 20, isText: isText)
        let events = try Self.transfer(message, pieces: 1 << bits)
        #expect(events.count == 1)
        #expect(events.first == .message(message))
    }

    @Test(
        "9.7, 9.8: Each of 1000 messages of 0 to 4096 bytes is received", arguments: [0, 16, 64, 256, 1024, 4096],
        [true, false])
    func many(size: Int, isText: Bool) throws {
        let message = Self.message(size, isText: isText)
        var client = WebSocketMachine(role: .client, limits: Self.limits)
        var server = WebSocketMachine(role: .server, limits: Self.limits)
        var wrong = 0
        for _ in 0..<1000 {
            server.receive(try client.encode(message))
            if try server.next() != .message(message) { wrong += 1 }
        }
        let rest = try server.next()
        #expect(wrong == 0)
        #expect(rest == nil)
    }
}
