import CAsyncNetTLS
import Foundation

/// The TLS of one connection, without I/O: ciphertext goes in and comes out in memory. Used under a loop's lock.
final class TLSSession {
    enum Read {
        case bytes(Int)
        case end, wantsInput
    }

    let context: TLSContext
    private let endpoint: ServerEndpoint
    private let raw: OpaquePointer
    /// The end of the ticket that the handshake offers; `nil` without one.
    private let ticketEnd: Date?
    /// When the server passed all checks; `nil` before.
    private var trustDate: Date?

    init(_ raw: OpaquePointer, _ context: TLSContext, _ endpoint: ServerEndpoint, ticketEnd: Date?) {
        self.raw = raw
        self.context = context
        self.endpoint = endpoint
        self.ticketEnd = ticketEnd
    }

    deinit {
        keepTicket()
        at_free_session(raw)
    }

    /// Gives bytes that arrived; they must stay where they are until ``unread`` is 0 or other bytes are given.
    func give(_ bytes: UnsafeRawBufferPointer) { at_give(raw, bytes.baseAddress, bytes.count) }

    var unread: Int {
        var size = 0
        _ = at_unread(raw, &size)
        return size
    }

    /// Whether `read` would return bytes without taking more ciphertext.
    var hasPlaintext: Bool { at_has_plaintext(raw) == 1 }

    /// Moves the given bytes that are left to separate memory, which the caller frees once other bytes are given.
    func moveUnread() -> UnsafeMutableRawBufferPointer {
        var size = 0
        let bytes = UnsafeRawBufferPointer(start: at_unread(raw, &size), count: size)
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
        copy.copyMemory(from: bytes)
        give(UnsafeRawBufferPointer(copy))
        return copy
    }

    /// How many bytes of ciphertext wait to be sent.
    var waiting: Int {
        var size = 0
        _ = at_outgoing(raw, &size)
        return size
    }

    /// Calls `send` until it sends less than it gets, or nothing is left. Returns whether nothing is left.
    func flush(_ send: (UnsafeRawBufferPointer) throws(AsyncNetError) -> Int) throws(AsyncNetError) -> Bool {
        while true {
            var size = 0
            guard let bytes = at_outgoing(raw, &size) else { return true }
            let sent = try send(UnsafeRawBufferPointer(start: bytes, count: size))
            at_sent(raw, sent)
            if sent < size { return false }
        }
    }

    /// - Returns: Whether the handshake is done; else it needs input.
    func handshake() throws(AsyncNetError) -> Bool {
        switch at_handshake(raw) {
        case 1: return true
        case Int32(AT_WANTS_INPUT): return false
        default: throw handshakeError()
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(AsyncNetError) -> Read {
        guard let base = buffer.baseAddress else { return .wantsInput }
        let count = at_read(raw, base, buffer.count)
        if count > 0 { return .bytes(count) }
        if count == 0 { return .end }
        if count == Int(AT_WANTS_INPUT) { return .wantsInput }
        throw lostError()
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(AsyncNetError) -> Int {
        guard let base = bytes.baseAddress, bytes.count > 0 else { return 0 }
        let count = at_write(raw, base, bytes.count)
        if count >= 0 { return count }
        if count == Int(AT_WANTS_INPUT) { return 0 }
        throw lostError()
    }

    /// Makes a close_notify, which the next `flush` sends.
    func close() { at_close(raw) }

    /// Frees what a kept connection does not need, and keeps the tickets that have arrived.
    func rest() {
        keepTicket()
        at_rest(raw)
    }

    /// A resumed session is not verified again, and shows no stapled status. So tickets end with the certificate and
    /// within a day of its verification, and none is kept where a status is required.
    private func keepTicket() {
        while let taken = at_take_ticket(raw) {
            let resumedEnd = agreement?.isResumed == true ? ticketEnd : nil
            let end = min(expiry ?? .distantFuture, resumedEnd ?? trustDate?.addingTimeInterval(86_400) ?? .distantPast)
            let ticket = TLSTicket(taken, until: end)
            if trustDate != nil, !context.configuration.requiresStapledStatus { context.keep(ticket, of: endpoint) }
        }
    }

    /// Forgets the server's tickets if the handshake has offered one; returns whether it has.
    func forgetTickets() -> Bool {
        if ticketEnd != nil { context.forgetTickets(of: endpoint) }
        return ticketEnd != nil
    }

    /// Whether the peer may go on sending after this side's close_notify (RFC 8446 §6.1). Before TLS 1.3 the peer must
    /// not.
    var allowsHalfClose: Bool { agreement?.version == "TLSv1.3" }

    /// The certificates that the server showed, in DER, its own first.
    var chain: [Data] {
        var chain: [Data] = []
        withUnsafeMutablePointer(to: &chain) { chain in
            at_read_chain(raw, chain) { chain, bytes, size in
                chain?.assumingMemoryBound(to: [Data].self).pointee.append(Data(bytes: bytes, count: size))
            }
        }
        return chain
    }

    var agreement: ConnectionInfo.TLS? {
        var agreement = at_agreement()
        at_read_agreement(raw, &agreement)
        guard let version = OpenSSL.text(agreement.version), let cipher = OpenSSL.text(agreement.cipher) else {
            return nil
        }
        let name = UnsafeBufferPointer(start: agreement.protocol, count: Int(agreement.protocol_size))
        return ConnectionInfo.TLS(
            version: version, cipherSuite: cipher, group: Self.groupName(agreement.group),
            applicationProtocol: name.isEmpty ? nil : String(decoding: name, as: UTF8.self),
            isResumed: agreement.is_resumed == 1, certificateExpiry: expiry)
    }

    /// The group of the key exchange (RFC 8446 §4.2.7), by OpenSSL's number.
    private static func groupName(_ number: Int32) -> String? {
        switch number {
        case 0: nil
        case 415: "secp256r1"
        case 715: "secp384r1"
        case 716: "secp521r1"
        case 1034: "x25519"
        case 1035: "x448"
        case 0x0100_11EC: "X25519MLKEM768"
        default: number > 0x0100_0000 ? "group \(number - 0x0100_0000)" : nil
        }
    }

    /// Until when the server's certificate is valid. Read once, since each transfer reports it.
    private(set) lazy var expiry: Date? = {
        var seconds: Int64 = 0
        return at_read_expiry(raw, &seconds) == 1 ? Date(timeIntervalSince1970: TimeInterval(seconds)) : nil
    }()

    /// Checks of the server what OpenSSL's handshake does not check.
    func checkServer() throws(AsyncNetError) {
        try checkPins()
        let text: String
        switch Int(at_status(raw)) {
        case Int(AT_STATUS_GOOD): return trustDate = Date()
        case Int(AT_STATUS_REVOKED): text = "The server's certificate is revoked, by its stapled status (OCSP)"
        case Int(AT_STATUS_MISSING):
            text = "The server has not stapled a proof that its certificate is not revoked (OCSP)"
        default: text = "The server's stapled status of its certificate (OCSP) is not valid"
        }
        throw AsyncNetError(.certificateRevoked, text).with(ServerTrustFailure(certificates: certificates))
    }

    private func checkPins() throws(AsyncNetError) {
        let pins = context.configuration.pins
        guard !pins.isEmpty else { return }
        let own = chain.first.flatMap { try? ServerCertificate($0) }
        guard let own, pins.contains(own.pin) else {
            throw AsyncNetError(.certificatePinMismatch).with(
                ServerTrustFailure(certificates: certificates, expectedPins: pins))
        }
    }

    private var certificates: [ServerCertificate] { ServerCertificate.chain(chain.map(PEM.text)) }

    private var failure: at_failure {
        var failure = at_failure()
        at_read_failure(raw, &failure)
        return failure
    }

    private func handshakeError() -> AsyncNetError {
        let failure = failure
        guard failure.verify_result == 0 else {
            let words = OpenSSL.text(at_verify_text(failure.verify_result)) ?? ""
            return TLSFailure.error(ofVerifyResult: failure.verify_result, words).with(
                ServerTrustFailure(certificates: certificates))
        }
        if failure.is_truncated != 0 {
            return AsyncNetError(.tlsHandshakeFailed, "The server closed the connection during the TLS handshake")
        }
        return TLSFailure.error(ofReason: failure.reason, failure.words)
    }

    private func lostError() -> AsyncNetError {
        let failure = failure
        if failure.is_truncated != 0 {
            return AsyncNetError(.connectionLost, "The server closed the connection without TLS's close_notify")
        }
        return TLSFailure.error(ofReason: failure.reason, isConnected: true, failure.words)
    }
}

extension at_failure {
    fileprivate var words: String {
        withUnsafeBytes(of: text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
