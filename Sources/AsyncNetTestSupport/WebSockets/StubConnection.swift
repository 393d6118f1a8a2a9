public import AsyncNet
public import Foundation

/// The server's end of a connection of a ``StubTransport``, in memory.
///
///     let stub = StubTransport(connections: { connection in
///         for try await bytes in connection.bytes { try await connection.write(bytes) }
///     })
///     let connection = try await Session(transport: stub).connect(to: "redis", port: 6379, tls: .none)
public final class StubConnection: Sendable {
    /// The client's request for this connection, with host and port.
    public let request: DuplexRequest
    let end: PipedConnection

    init(_ request: DuplexRequest, _ end: PipedConnection) { (self.request, self.end) = (request, end) }

    /// The next bytes of the client; `nil` once the client has ended its side.
    public func receive() async throws -> Data? { try await end.receive() }

    /// Sends bytes; each call's bytes arrive as one chunk. Waits while the client reads nothing and 256 KiB are unsent.
    public func write(_ data: Data) async throws {
        try end.send(data)
        try await end.sendingRoom()
    }

    /// Ends this side: the client reads the end after all bytes, and can still send.
    public func finishWriting() throws { try end.finishSending() }

    /// Closes the connection after what was written.
    public func close() async { await end.close() }

    /// Ends the connection at once, as a reset does: the client gets the error `.connectionLost`.
    public func reset() { end.abort(AsyncNetError(.connectionLost)) }

    /// The bytes that the client sends, as they arrive.
    public var bytes: Bytes { Bytes(connection: self) }

    /// The bytes that the client of a ``StubConnection`` sends.
    public struct Bytes: AsyncSequence, AsyncIteratorProtocol, Sendable {
        fileprivate let connection: StubConnection

        public func makeAsyncIterator() -> Bytes { self }
        public func next() async throws -> Data? { try await connection.receive() }
    }
}
