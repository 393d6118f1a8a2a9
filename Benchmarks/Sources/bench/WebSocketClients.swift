import ArgumentParser
import AsyncNet
import Foundation

/// What a client does over one WebSocket.
struct WebSocketExchange: Sendable {
    var url: String
    var way: WebSockets.Way
    var count: Int
    var size: Int

    var text: String { String(repeating: "x", count: size) }
    /// How many messages arrive.
    var expected: Int { way == .send ? 1 : count }

    func check(_ received: Int) throws {
        guard received == expected else {
            throw ValidationError("\(received) messages of \(expected) were received")
        }
    }
}

protocol WebSocketClient: Sendable {
    var name: String { get }
    /// - Returns: The seconds from the open connection to its end.
    func perform(_ exchange: WebSocketExchange) async throws -> Double
    func shutdown() async
}

extension WebSocketMessage {
    /// In bytes.
    var size: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let data): data.count
        }
    }
}

struct AsyncNetWebSockets: WebSocketClient {
    let name = "AsyncNet"
    let session: Session

    init(trusting certificate: URL) {
        session = Session(transport: .sockets(tls: TLSConfiguration(trust: .anchors(file: certificate))))
    }

    func perform(_ exchange: WebSocketExchange) async throws -> Double {
        let socket = session.webSocket(exchange.url)
        try await socket.open()
        var received = 0
        let seconds = try await Measurement.of {
            received = try await talk(socket, exchange)
        }.seconds
        try exchange.check(received)
        return seconds
    }

    private func talk(_ socket: WebSocket, _ exchange: WebSocketExchange) async throws -> Int {
        let text = exchange.text
        var received = 0
        if exchange.way == .echo {
            for _ in 0..<exchange.count {
                try await socket.send(.text(text))
                if try await socket.receive()?.size == exchange.size { received += 1 }
            }
            return received
        }
        for _ in 0..<(exchange.way == .send ? exchange.count : 0) { try await socket.send(.text(text)) }
        for try await _ in socket.messages { received += 1 }
        return received
    }

    func shutdown() async { await session.finish() }
}

/// Python's `websockets`, as a process.
struct PythonWebSockets: WebSocketClient {
    let name = "websockets (Python)"
    let certificate: URL

    func perform(_ exchange: WebSocketExchange) async throws -> Double {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL
        // Not resolved: a link to Python that is in a virtual environment leads out of it.
        let python = folder.deletingLastPathComponent().path + "/.build/websockets/bin/python"
        guard FileManager.default.isExecutableFile(atPath: python) else {
            throw ValidationError("websockets is not installed: Scripts/websocket-conformance --install")
        }
        let run = try Measured(
            python,
            [
                folder.appending(path: "websockets-client").path, exchange.url, exchange.way.rawValue,
                "\(exchange.count)", "\(exchange.size)", certificate.path,
            ])
        guard let seconds = Double(run.output.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw ValidationError("websockets-client printed \(run.output)")
        }
        return seconds
    }

    func shutdown() async {}
}
