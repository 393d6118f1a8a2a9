import AsyncNet
import Foundation

/// A server of bytes: takes one connection, reads until the head's end, then does what a closure says with the socket.
final class RawServer: Sendable {
    let port: Int
    private let process: Process

    /// - Parameter script: Python that has the connection as `c`, and `time`.
    init(_ script: String) throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let program = """
            import socket, struct, time, sys
            l = socket.create_server(("127.0.0.1", 0), backlog=16)
            print(l.getsockname()[1], flush=True)
            while True:
                c, _ = l.accept()
                head = b""
                while b"\\r\\n\\r\\n" not in head: head += c.recv(1)
            \(script.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n"))
            """
        process.arguments = ["python3", "-c", program]
        process.standardOutput = output
        try process.run()
        self.process = process
        port = Int(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }

    var url: URL { get throws { try "http://127.0.0.1:\(port)/".asURL() } }

    deinit { kill(process.processIdentifier, SIGKILL) }
}
