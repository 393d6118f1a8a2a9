import Foundation

@testable import AsyncNet

/// A server over HTTP/2 without TLS that does what a script says, on each connection what that connection's script says.
final class ScriptedHTTP2Server: Sendable {
    enum Step {
        /// Reads frames until so many of a kind have come.
        case read(UInt8, count: Int = 1)
        /// Reads until the client has closed the connection.
        case readAll
        case send([UInt8])
        /// Closes the connection.
        case close
        /// Closes it with a reset.
        case reset
    }

    private let server: RawServer
    var url: URL { get throws { try server.url } }

    /// - Parameter scripts: Those of the first connection, of the second and so on; the last one's is that of all later ones.
    init(_ scripts: [Step]...) throws {
        let lists = scripts.map { "[" + $0.map(\.python).joined(separator: ", ") + "]" }.joined(separator: ", ")
        server = try RawServer(
            """
            scripts = [\(lists)]
            if not hasattr(serve, "count"): serve.count = 0
            steps = scripts[min(serve.count, len(scripts) - 1)]
            serve.count += 1
            rest = b""
            def more(n):
                nonlocal rest
                while len(rest) < n: rest += c.recv(65536)
                taken, rest = rest[:n], rest[n:]
                return taken
            more(24)
            for step in steps:
                if step[0] == "read":
                    left = step[2]
                    while left > 0:
                        head = more(9)
                        more(int.from_bytes(head[:3], "big"))
                        if head[3] == step[1]: left -= 1
                elif step[0] == "all":
                    while True: c.recv(65536)
                elif step[0] == "send": c.sendall(bytes.fromhex(step[1]))
                elif step[0] == "close":
                    c.shutdown(socket.SHUT_RDWR)
                    return
                elif step[0] == "reset":
                    c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    c.close()
                    return
            """, readsHead: false)
    }
}

extension ScriptedHTTP2Server.Step {
    fileprivate var python: String {
        switch self {
        case .read(let kind, let count): "('read', \(kind), \(count))"
        case .readAll: "('all',)"
        case .send(let bytes):
            "('send', '\(bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())')"
        case .close: "('close',)"
        case .reset: "('reset',)"
        }
    }

    /// What a server sends, written frame by frame.
    static func frames(_ write: (inout FrameWriter) -> Void) -> ScriptedHTTP2Server.Step {
        var writer = FrameWriter()
        write(&writer)
        return .send(writer.bytes)
    }

    /// The server's SETTINGS, which come first.
    static var settings: ScriptedHTTP2Server.Step { frames { $0.settings() } }

    /// A response with a body.
    static func text(_ text: String, on stream: UInt32 = 1) -> ScriptedHTTP2Server.Step {
        frames {
            $0.headers([(":status", "200"), ("content-type", "text/plain")], on: stream)
            $0.data(text, on: stream, ends: true)
        }
    }
}
