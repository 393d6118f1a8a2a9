public import Foundation

/// A connection that carries bytes in both directions and no HTTP: TCP or a unix socket, with TLS if asked for.
///
///     let connection = try await session.connect(to: "localhost", port: 6379, tls: .none)
///     try await connection.write(Data("PING\r\n".utf8))
///     for try await bytes in connection.bytes { ... }
///     await connection.close()
///
/// Any number of tasks may use a connection at the same time: the bytes of one call are not mixed with another call's.
/// Releasing the connection closes it at once. ``close()`` first sends what was written, also if the connection is
/// released or the session ends right after the call. ``Session/finish()`` closes the connection with
/// `.sessionFinished`.
public final class StreamConnection: Sendable {
    private let connection: any DuplexConnection
    /// Held so that the transport stays alive: a transport that is released closes its connections.
    private let session: Session
    private let events: ConnectionEvents
    /// The error of a write that found the connection lost; observers get it when the connection is closed.
    private let writingFailure = Locked<AsyncNetError?>(nil)

    init(_ connection: any DuplexConnection, _ session: Session, _ events: ConnectionEvents) {
        self.connection = connection
        self.session = session
        self.events = events
    }

    deinit {
        connection.abort(nil)
        events.end(writingFailure.withLock { $0 })
    }

    /// The address of the host or the proxy, and the certificates that the host showed.
    public var info: ConnectionInfo { connection.info }

    /// Sends bytes, after the bytes of all earlier calls.
    ///
    /// Returns when at most 256 KiB of what was written are still unsent, so a loop that writes goes no faster than the
    /// peer reads. If the task is cancelled before the call, nothing of the data is sent; if it is cancelled while this
    /// function waits, all of it may be sent.
    ///
    /// - Throws: ``AsyncNetError``, such as `.connectionLost`, `.invalidRequest` after ``finishWriting()``, and `.cancelled`.
    ///   After `.connectionLost`, what the peer sent before can still be read.
    public func write(_ data: Data) async throws(AsyncNetError) {
        do {
            try Task.checkCancellation()
            try connection.send(data)
            events.send(.sentBytes(data.count))
            try await connection.sendingRoom()
        } catch {
            let error = AsyncNetError(wrapping: error, as: .transportFailed)
            if error.code == .connectionLost { writingFailure.withLock { $0 = error } }
            throw error
        }
    }

    /// Tells the peer that no more bytes follow; what the peer sends can still be read (TCP's half-close, TLS 1.3's
    /// close_notify).
    ///
    /// - Throws: ``AsyncNetError`` with code `.unsupportedByTransport` over TLS 1.2 or older, whose peer must end its own side at
    ///   once and drop what it has not sent (RFC 5246 §7.2.1).
    public func finishWriting() async throws(AsyncNetError) {
        do { try connection.finishSending() } catch { throw AsyncNetError(wrapping: error, as: .transportFailed) }
    }

    /// The next bytes that arrive, at least one and as many as were received at once; `nil` once the peer has ended the
    /// connection, after all of its bytes.
    ///
    /// While nobody reads, only a buffer of 256 KiB and the system's own buffers fill, so a peer can send no faster
    /// than this program reads. Cancelling the task loses no byte: the next call returns it.
    ///
    /// - Throws: ``AsyncNetError``, such as `.connectionLost`, also for a peer that ends TLS without its close_notify, since
    ///   bytes may have been lost (RFC 8446 §6.1), and `.cancelled`.
    public func read() async throws(AsyncNetError) -> Data? {
        do {
            let bytes = try await connection.receive()
            if let bytes { events.send(.receivedBytes(bytes.count)) }
            return bytes
        } catch {
            let error = AsyncNetError(wrapping: error, as: .transportFailed)
            // A cancelled task ends no connection.
            if error.code != .cancelled { events.end(error) }
            throw error
        }
    }

    /// The bytes as they arrive, from here to the end of the connection, see ``read()``.
    public var bytes: some AsyncSequence<Data, AsyncNetError> & Sendable { PulledSequence(pull: read) }

    /// Sends what has been written, then closes the connection. Does nothing if the connection is closed already.
    ///
    /// If the peer does not take the bytes, the connection is closed after the transport's time limit for connecting (10 s
    /// by default), or at once if the task is cancelled. A task that reads gets what this program had received before, then
    /// the end; what the peer sends meanwhile is dropped.
    public func close() async {
        await connection.close()
        events.end(writingFailure.withLock { $0 })
    }
}

extension StreamConnection: ShownByDescription {

    /// The peer's address.
    public var description: String { "connection to \(info.remoteAddress ?? "an unknown address")" }
}
