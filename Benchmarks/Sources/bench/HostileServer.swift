import ArgumentParser
import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// What a hostile server sends without an end, to hold a client's thread.
enum Hostility: String, CaseIterable, ExpressibleByArgument {
    case chunks, extensions
    case endlessExtension = "endless-extension"
    case informational, hello, head, unread
    // Over HTTP/2, by prior knowledge.
    case tinyData = "http2-tiny-data"
    case emptyData = "http2-empty-data"
    case padding = "http2-padding"
    case ping = "http2-ping"
    case settings = "http2-settings"
    case window = "http2-window"
    case priority = "http2-priority"
    case unknown = "http2-unknown"
    case continuation = "http2-continuation"
    case interim = "http2-1xx"
    case unread2 = "http2-unread"

    /// What follows the request at once.
    var beginning: [UInt8] {
        switch self {
        case .chunks, .extensions, .endlessExtension:
            Array(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(self == .endlessExtension ? "1;a=" : "")".utf8)
        case .informational, .hello: []
        case .head: Array("HTTP/1.1 200 OK\r\nX: ".utf8)
        case .unread: Array("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n".utf8)
        case .continuation: Self.frame(4) + Self.frame(1, 0, on: 1, payload: [0x88])
        case .interim: Self.frame(4)
        default: Self.frame(4) + Self.frame(1, 4, on: 1, payload: [0x88])
        }
    }

    /// What is repeated.
    var unit: [UInt8] {
        switch self {
        case .chunks: Array("1\r\na\r\n".utf8)
        case .extensions: Array("1;a=\(String(repeating: "b", count: 8192))\r\na\r\n".utf8)
        case .endlessExtension, .head, .unread: Array("b".utf8)
        case .informational: Array("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".utf8)
        // A HelloRequest in a record of its own (RFC 5246 §7.4.1.1).
        case .hello: [22, 3, 3, 0, 4, 0, 0, 0, 0]
        case .tinyData: Self.frame(0, on: 1, payload: [0x61])
        case .emptyData: Self.frame(0, on: 1)
        case .padding: Self.frame(0, 8, on: 1, payload: [255] + Array(repeating: 0, count: 255))
        case .ping: Self.frame(6, payload: Array(repeating: 0, count: 8))
        case .settings: Self.frame(4)
        case .window: Self.frame(8, on: 1, payload: [0, 0, 0, 1])
        case .priority: Self.frame(2, on: 1, payload: [0, 0, 0, 0, 1])
        case .unknown: Self.frame(0xBB, on: 1)
        case .continuation: Self.frame(9, on: 1)
        // :status 103 without an index.
        case .interim: Self.frame(1, 4, on: 1, payload: [0x08, 3, 0x31, 0x30, 0x33])
        case .unread2: Self.frame(0, on: 1, payload: Array(repeating: 0x61, count: 16_384))
        }
    }

    private static func frame(_ kind: UInt8, _ flags: UInt8 = 0, on stream: UInt8 = 0, payload: [UInt8] = [])
        -> [UInt8]
    {
        [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), kind, flags, 0, 0, 0, stream] + payload
    }

    var isHTTP2: Bool { rawValue.hasPrefix("http2") }

    var isTLS: Bool { self == .hello }
    /// Whether each piece is as small as the unit.
    var isSlow: Bool { self == .head }
}

/// Serves one kind of hostility to any number of connections, each on a thread of its own.
final class HostileServer: Sendable {
    let port: Int
    private let listener: Int32

    init(_ kind: Hostility) throws {
        signal(SIGPIPE, SIG_IGN)
        let socket = try SocketPort.listening()
        (listener, port) = (socket.descriptor, socket.port)
        let pieces = kind.isSlow ? kind.unit : (0..<max(1, 65_536 / kind.unit.count)).flatMap { _ in kind.unit }
        let listener = listener
        Thread {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                Thread { Self.serve(connection, kind, pieces) }.start()
            }
        }.start()
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private static func serve(_ connection: Int32, _ kind: Hostility, _ pieces: [UInt8]) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        defer { close(connection) }
        guard recv(connection, &buffer, buffer.count, 0) > 0 else { return }
        var next = kind.beginning.isEmpty ? pieces : kind.beginning
        while send(connection, &next, next.count, Int32(MSG_NOSIGNAL)) > 0 { next = pieces }
    }
}
