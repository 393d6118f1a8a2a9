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

    /// What follows the request at once.
    var beginning: [UInt8] {
        switch self {
        case .chunks, .extensions, .endlessExtension:
            Array(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(self == .endlessExtension ? "1;a=" : "")".utf8)
        case .informational, .hello: []
        case .head: Array("HTTP/1.1 200 OK\r\nX: ".utf8)
        case .unread: Array("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n".utf8)
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
        }
    }

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
