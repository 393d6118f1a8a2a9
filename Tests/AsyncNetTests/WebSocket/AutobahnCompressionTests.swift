import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetTestSupport

/// The cases of Autobahn's test suite for permessage-deflate, sections 12 and 13, by their numbers there. Its payloads
/// are files of JSON, prose and images; here similar ones are made. It sends each message a thousand times; here a few
/// times suffice, since the state between messages is the same after each.
@Suite("Autobahn: compression", .timeLimit(.minutes(5)))
struct AutobahnCompressionTests {
    private static let sizes = [16, 64, 256, 1024, 4096, 8192, 16384, 32768, 65536, 131_072]
    /// Sizes and fragment sizes of 12.x.11 to 12.x.18.
    private static let fragmented = [
        (8192, 256), (16384, 256), (32768, 256), (65536, 256), (131_072, 256), (131_072, 1024), (131_072, 4096),
        (131_072, 32768),
    ]

    /// 12.1 to 12.5: JSON, prose of several scripts, incompressible bytes, HTML, zeros.
    private static func message(_ kind: Int, size: Int, seed: Int) -> WebSocketMessage {
        var random = SeededRandom(state: UInt64(kind * 1000 + seed))
        let words = ["{\"id\":", "Habe nun, ach! ", "κόσμε ", "</td><td>", "\"name\":\"a\"},", "\u{1F600}", "\n"]
        switch kind {
        case 3: return .binary(Data((0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }))
        case 5: return .binary(Data(count: size))
        default:
            var text = ""
            while text.utf8.count < size { text += words.randomElement(using: &random) ?? "" }
            return .text(text)
        }
    }

    private static let limits = WebSocketLimits(frame: 1 << 20, message: 1 << 20)

    /// Sends a message five times each way, and counts those that do not arrive.
    private static func lost(
        _ kind: Int, size: Int, fragmentSize: Int? = nil, _ agreed: WebSocketDeflate
    ) throws -> Int {
        var client = WebSocketMachine(role: .client, compression: agreed, limits: limits)
        var server = WebSocketMachine(role: .server, compression: agreed, limits: limits)
        var lost = 0
        for seed in 0..<5 {
            let message = message(kind, size: size, seed: seed / 2)
            for piece in try client.encode(message, fragmentSize: fragmentSize).pieces(of: 5000) {
                server.receive(piece)
            }
            if try server.next() != .message(message) { lost += 1 }
            client.receive(try server.encode(message, fragmentSize: fragmentSize))
            if try client.next() != .message(message) { lost += 1 }
        }
        return lost
    }

    private static func always(_ compression: WebSocketCompression = WebSocketCompression()) -> WebSocketCompression {
        var compression = compression
        compression.minimumSize = 0
        return compression
    }

    @Test(
        "12.1 to 12.5: Compressed messages of 16 bytes to 128 KiB, whole and in fragments, are received",
        arguments: 1...5)
    func payloads(kind: Int) throws {
        var agreed = WebSocketDeflate()
        agreed.minimumSize = 0
        for (place, size) in Self.sizes.enumerated() {
            let lost = try Self.lost(kind, size: size, agreed)
            #expect(lost == 0, "12.\(kind).\(place + 1)")
        }
        for (place, (size, fragmentSize)) in Self.fragmented.enumerated() {
            let lost = try Self.lost(kind, size: size, fragmentSize: fragmentSize, agreed)
            #expect(lost == 0, "12.\(kind).\(place + 11)")
        }
    }

    /// Autobahn's parameters: whether the server asks the client for no context takeover and for a window, and what
    /// the server accepts for itself.
    static let parameters: [(String, WebSocketCompression)] = [
        ("13.1", .init()), ("13.2", .init(clientContextTakeover: false, serverContextTakeover: false)),
        ("13.3", .init(clientWindowBits: 9, serverWindowBits: 9)), ("13.4", .init(clientWindowBits: 15)),
        (
            "13.5",
            .init(clientContextTakeover: false, serverContextTakeover: false, clientWindowBits: 9, serverWindowBits: 9)
        ),
        ("13.6", .init(clientContextTakeover: false, serverContextTakeover: true)),
        ("13.7", .init(serverContextTakeover: false, clientWindowBits: 12)),
    ]

    @Test("13.1 to 13.7: Messages are received with each agreement on permessage-deflate", arguments: parameters)
    func agreed(number: String, compression: WebSocketCompression) throws {
        let client = try WebSocketHandshake(compression: Self.always(compression))
        let server = try WebSocketServerHandshake(
            method: .get, headers: client.headers, compression: Self.always())
        let head = HTTPResponseHead(statusCode: 101, url: URL(filePath: "/"), headers: server.headers)
        let agreed = try #require(try client.agreement(from: head).compression)
        #expect(server.agreement.compression == agreed)
        for (place, size) in Self.sizes.enumerated() {
            let lost = try Self.lost(1, size: size, agreed)
            #expect(lost == 0, "\(number).\(place + 1)")
        }
        for (place, (size, fragmentSize)) in Self.fragmented.enumerated() {
            let lost = try Self.lost(1, size: size, fragmentSize: fragmentSize, agreed)
            #expect(lost == 0, "\(number).\(place + 11)")
        }
    }

    @Test("13.7: A server accepts the first valid offer of several")
    func offers() throws {
        let handshake = try WebSocketHandshake(compression: Self.always())
        var headers = handshake.headers
        headers.update(
            HTTPHeader(
                name: "Sec-WebSocket-Extensions",
                value: """
                    permessage-deflate; server_max_window_bits=7, permessage-deflate; server_no_context_takeover; \
                    server_max_window_bits=9, permessage-deflate
                    """))
        let server = try WebSocketServerHandshake(method: .get, headers: headers, compression: Self.always())
        let accepted = server.headers["Sec-WebSocket-Extensions"]
        #expect(accepted == "permessage-deflate; server_no_context_takeover; server_max_window_bits=9")
    }
}
