import AsyncNet
import Foundation

/// A server that takes one connection at a time, reads until the end of a head, and then runs a script.
final class RawServer: Sendable {
    /// Python did not start the server; `output` is what it wrote.
    struct Failure: Error { let output: String }

    let port: Int
    /// The server's process. It ends when its standard input ends, so also if this process is killed.
    private let process: ChildProcess

    /// - Parameters:
    ///   - script: Python that has `time`, and the connection as `c`, whose `recv` fails if the client has closed it.
    ///   - readsHead: Whether an HTTP head is read before the script runs.
    ///   - address: 127.0.0.1 or ::1.
    ///   - unixSocket: The path of a unix socket to serve at, in place of a port.
    init(
        _ script: String, readsHead: Bool = true, address: String = "127.0.0.1", unixSocket: String? = nil
    ) throws {
        let listening =
            unixSocket.map { "l = socket.socket(socket.AF_UNIX); l.bind('\($0)'); l.listen(16)" }
                ?? """
                l = socket.create_server(
                    ("\(address)", 0), backlog=16, family=socket.\(address.contains(":") ? "AF_INET6" : "AF_INET"))
                """
        let program = """
            import os, socket, struct, sys, threading, time

            os.closerange(3, 65536)

            def watch():
                sys.stdin.read()
                os._exit(0)
            threading.Thread(target=watch, daemon=True).start()

            class Connection(socket.socket):
                def recv(self, count):
                    data = super().recv(count)
                    if not data: raise EOFError
                    return data

            def serve(c):
                head = b""
                while \(readsHead ? "True" : "False") and b"\\r\\n\\r\\n" not in head: head += c.recv(1)
            \(script.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n"))

            \(listening)
            print(0 if l.family == socket.AF_UNIX else l.getsockname()[1], flush=True)
            while True:
                accepted, _ = l.accept()
                connection = Connection(fileno=accepted.detach())
                # Stays open until the next one.
                try: serve(connection)
                except (EOFError, OSError): pass
            """
        process = try ChildProcess([Self.python, "-c", program])
        let output = String(decoding: process.availableOutput, as: UTF8.self)
        guard let port = Int(output.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw Failure(output: output)
        }
        self.port = port
    }

    /// The path of the interpreter: `python3` in `PATH` may be a script, which needs long to find the interpreter.
    private static let python: String = {
        let asked = try? ChildProcess([
            "python3", "-c", "import sys; print(sys.executable, flush=True); sys.stdin.read()",
        ])
        let path = asked.map { String(decoding: $0.availableOutput, as: UTF8.self) } ?? ""
        let name = path.trimmingCharacters(in: .whitespacesAndNewlines)
        return name.isEmpty ? "python3" : name
    }()

    var url: URL { get throws { try "http://127.0.0.1:\(port)/".asURL() } }
}
