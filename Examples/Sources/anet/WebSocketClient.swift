import AsyncNet
import Foundation

/// `--ws`: a conversation over a WebSocket.
struct WebSocketClient: Sendable {
    let socket: WebSocket
    let conversation: Conversation
    let options: DuplexOptions
    let isVerbose: Bool
    /// Whether a lost connection is replaced by another.
    let reconnects: Bool
    let showsCertificates: Bool
    /// What the URL names.
    let server: String

    /// - Throws: ``ExitError``.
    func run() async throws(ExitError) {
        do {
            try await conversation.opening { try await socket.open() }
            if isVerbose { await noteAgreement() }
            try await conversation.run(
                receiving: receive, sending: send, beside: options.ping != nil && isVerbose ? [ping] : [])
        } catch {
            await socket.cancel()
            if let error = error as? AsyncNetError {
                showBody(of: error)
                show(error.serverTrust?.certificates ?? [])
            }
            throw ExitError(caught: error)
        }
    }

    private func noteAgreement() async {
        let name = await socket.subprotocol.map { "subprotocol \($0)" } ?? "no subprotocol"
        Console.note("* WebSocket is open: \(name), \(await socket.isCompressed ? "compressed" : "not compressed")")
    }

    /// The response of a server that refused is no message: its body is on standard error.
    private func showBody(of error: AsyncNetError) {
        guard error.code == .webSocketHandshakeFailed, let body = error.data, !body.isEmpty, !body.contains(0) else {
            return
        }
        Console.note(Console.harmless(String(decoding: body, as: UTF8.self).trimmingCharacters(in: .newlines)))
    }

    private func show(_ certificates: [ServerCertificate]) {
        guard showsCertificates else { return }
        for line in CertificateText.notes(of: certificates, server) { Console.note(line) }
    }

    // MARK: Directions

    @Sendable private func receive() async throws {
        for try await message in socket.messages { try await conversation.print(Self.shown(message)) }
        guard isVerbose, let code = await socket.closeCode else { return }
        Console.note("* WebSocket is closed: \(code)")
    }

    /// Sends standard input, then closes the WebSocket.
    @Sendable private func send() async throws {
        var lines = InputLines()
        while let piece = try await conversation.input.next() {
            if options.binary {
                try await send(.binary(piece))
                continue
            }
            lines.append(piece)
            while let line = try lines.next() { try await send(.text(line)) }
        }
        if let line = try lines.last() { try await send(.text(line)) }
        try await conversation.becameQuiet()
        try await socket.close()
    }

    /// A lost connection and a close end `receive`, with the reason.
    private func send(_ message: WebSocketMessage) async throws {
        do throws(AsyncNetError) {
            try await socket.send(message)
        } catch {
            guard [.connectionLost, .webSocketClosed].contains(error.code) else { throw error }
            if reconnects { Console.note("* A message may be lost with the connection") }
        }
    }

    /// The round trips, beside the pings that the library sends to see whether the connection is lost.
    @Sendable private func ping() async throws {
        while let seconds = options.ping {
            try await Task.sleep(for: .seconds(seconds))
            do throws(AsyncNetError) {
                Console.note(
                    "* ping: \((try await socket.ping() / .milliseconds(1)).formatted(.number.precision(.fractionLength(1)))) ms"
                )
            } catch {
                guard reconnects else { return }
            }
        }
    }

    /// A text is a line. Bytes are bytes, but on a terminal, which shows them as numbers.
    private static func shown(_ message: WebSocketMessage) -> Data {
        switch message {
        case .text(let text): Data("\(text)\n".utf8)
        case .binary(let data) where !Terminal.isOutput: data
        case .binary(let data): Data("\(hexadecimal(data))\n".utf8)
        }
    }

    private static func hexadecimal(_ data: Data) -> String {
        let bytes = data.prefix(64).map { String(format: "%02x", $0) }.joined(separator: " ")
        return "<\(data.count) bytes: \(bytes)\(data.count > 64 ? " ..." : "")>"
    }
}
