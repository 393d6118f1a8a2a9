import AsyncNet
import CAsyncNetMockTLS
import Foundation

extension MockServer {
    /// The certificate of a server that speaks TLS, made with its P-256 key when the server starts.
    ///
    /// It is self-signed: a client that trusts ``MockServer/anchor`` accepts it, others refuse it.
    public enum TLS: Sendable {
        /// A valid certificate for `localhost`, 127.0.0.1 and ::1.
        case selfSigned
        /// A certificate for the same hosts that was valid until yesterday.
        case expired
        /// A valid certificate, but only for `wrong.example`.
        case wrongHost

        fileprivate var names: String { self == .wrongHost ? "DNS:wrong.example" : "DNS:localhost,IP:127.0.0.1,IP:::1" }

        /// The first and the last time, in seconds from now. A day before now allows for clocks that differ.
        fileprivate var validity: (starts: Int, ends: Int) {
            let day = 86_400
            return self == .expired ? (-7 * day, -day) : (-day, 7 * day)
        }
    }
}

/// A certificate and its key in OpenSSL's memory.
final class TLSIdentity: Sendable {
    private let identity: Locked<OpaquePointer>
    /// In PEM.
    let certificate: String

    init(_ kind: MockServer.TLS, _ versions: MockServer.Versions) throws {
        if let reason = mt_load() {
            throw MockServer.Failure(
                description: "A server with TLS needs OpenSSL 3, which could not be loaded: \(String(cString: reason))")
        }
        let validity = kind.validity
        guard let identity = mt_identity_new(kind.names, validity.starts, validity.ends) else {
            throw MockServer.Failure(description: "OpenSSL could not make a certificate")
        }
        if versions != .http1 { mt_identity_offer_http2(identity, versions == .both ? 1 : 0) }
        certificate = String(cString: mt_identity_certificate(identity))
        self.identity = Locked(identity)
    }

    deinit { identity.withLock { mt_identity_free($0) } }

    /// Starts the server's side of a connection.
    func makeSession() -> TLSSession? {
        identity.withLock { mt_session_new($0) }.map { TLSSession($0, self) }
    }
}

/// The server's side of one TLS connection. Used only by the connection's thread.
final class TLSSession {
    private let session: OpaquePointer
    /// Kept, since OpenSSL's session uses the memory of the identity.
    private let identity: TLSIdentity

    struct Failure: Error {}

    fileprivate init(_ session: OpaquePointer, _ identity: TLSIdentity) {
        (self.session, self.identity) = (session, identity)
    }

    deinit { mt_session_free(session) }

    enum Result {
        case bytes(Data)
        case needsBytes
        case closed
    }

    /// Passes the client's bytes to OpenSSL.
    func receive(_ bytes: Data) throws {
        let isReceived = bytes.withUnsafeBytes { buffer in
            buffer.baseAddress.map { mt_session_receive(session, $0, buffer.count) } ?? 1
        }
        if isReceived == 0 { throw Failure() }
    }

    /// Takes the bytes from OpenSSL that are to be sent to the client.
    func take() -> Data {
        var taken = Data()
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while case let count = mt_session_take(session, &buffer, buffer.count), count > 0 {
            taken.append(contentsOf: buffer.prefix(count))
        }
        return taken
    }

    /// - Returns: Whether the handshake is complete.
    func handshake() throws -> Bool {
        let result = mt_session_handshake(session)
        if result == MT_FAILED { throw Failure() }
        return result == MT_DONE
    }

    func read(_ count: Int) throws -> Result {
        var buffer = [UInt8](repeating: 0, count: count)
        let result = mt_session_read(session, &buffer, Int32(clamping: count))
        if result > 0 { return .bytes(Data(buffer.prefix(Int(result)))) }
        if result == MT_FAILED { throw Failure() }
        return result == MT_CLOSED ? .closed : .needsBytes
    }

    func write(_ bytes: Data) throws {
        let result = bytes.withUnsafeBytes { buffer in
            buffer.baseAddress.map { mt_session_write(session, $0, Int32(clamping: buffer.count)) } ?? 0
        }
        guard Int(result) == bytes.count else { throw Failure() }
    }

    func finishWriting() { mt_session_finish_writing(session) }
}
