import AsyncNetTesting
import Foundation

@testable import AsyncNet

/// Runs a test with a server and a session, and ends both.
func withWebSockets<Result>(
    _ reply: MockResponse = .webSocket(.echo), tls: MockServer.TLS? = nil,
    configuration: SessionConfiguration = SessionConfiguration(),
    over transport: (TLSConfiguration) -> any DuplexTransport = { SocketTransport.sockets(tls: $0) },
    body: (MockServer, Session) async throws -> Result
) async throws -> Result {
    let server = try await MockServer.start(tls: tls)
    server.on(nil, "/", replies: reply)
    let transport = transport(.init(trust: tls == nil ? .system : .anchors([server.anchor])))
    let session = Session(transport: transport, configuration: configuration)
    do {
        let result = try await body(server, session)
        await session.finish()
        await server.stop()
        return result
    } catch {
        await session.finish()
        await server.stop()
        throw error
    }
}

extension WebSocket {
    /// All messages until the end, and the error of the end.
    func received() async -> (messages: [WebSocketMessage], error: AsyncNetError?) {
        var all: [WebSocketMessage] = []
        do {
            for try await message in messages { all.append(message) }
            return (all, nil)
        } catch {
            return (all, error)
        }
    }
}

extension AsyncNetError {
    /// The code of the error that a body throws.
    static func code(of body: () throws -> Void) -> Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? AsyncNetError)?.code
        }
    }

    /// The code of the error that a body throws.
    static func code(of body: () async throws -> Void) async -> Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? AsyncNetError)?.code
        }
    }
}
