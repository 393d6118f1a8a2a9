import AsyncNet
import Foundation

/// `--connect`: a conversation over a connection without HTTP.
struct StreamClient: Sendable {
    let session: Session
    let conversation: Conversation
    let peer: HostAndPort
    /// `nil` for a connection without TLS.
    let tls: TLSConfiguration?
    let isVerbose: Bool
    let showsCertificates: Bool
    /// Whether --linger is given.
    let isLingering: Bool

    /// - Throws: ``ExitError``.
    func run() async throws(ExitError) {
        do {
            let connection = try await conversation.opening {
                try await session.connect(to: peer.host, port: peer.port, tls: tls)
            }
            if isVerbose { Console.note("* \(connection)") }
            show(connection.info.serverCertificates)
            try await conversation.run(
                receiving: {
                    for try await bytes in connection.bytes { try await conversation.print(bytes) }
                },
                sending: { try await send(over: connection) })
            await connection.close()
        } catch {
            show((error as? AsyncNetError)?.serverTrust?.certificates ?? [])
            throw ExitError(caught: error)
        }
    }

    private func show(_ certificates: [ServerCertificate]) {
        guard showsCertificates else { return }
        for line in CertificateText.notes(of: certificates, "\(peer.host):\(peer.port)") { Console.note(line) }
    }

    /// Sends standard input, then its end, with --linger once nothing arrives any more: some servers and proxies close the
    /// connection at the end, whatever they have to send. TLS has none here (see the library's `finishWriting`): the connection is closed
    /// once nothing arrives any more.
    private func send(over connection: StreamConnection) async throws {
        do {
            while let bytes = try await conversation.input.next() { try await connection.write(bytes) }
            guard tls != nil || isLingering else { return try await connection.finishWriting() }
            try await conversation.becameQuiet()
            guard tls != nil else { return try await connection.finishWriting() }
            await connection.close()
        } catch let error as AsyncNetError where error.code == .connectionLost {
            return // The other direction ends with the reason.
        }
    }
}
