import CAsyncNetTLS
import Foundation

/// Whom the connections of one loop trust and who they are, by one ``TLSConfiguration``; with the tickets by which
/// they resume sessions. No connection uses another's.
final class TLSContext {
    let configuration: TLSConfiguration
    private let raw: OpaquePointer
    private var tickets: [ServerEndpoint: [TLSTicket]] = [:]
    private static let mostTickets = 4
    private static let mostServers = 1000

    /// - Throws: ``AsyncNetError`` with code `.transportUnavailable` without OpenSSL, `.invalidConfiguration`, or
    ///   `.clientCertificateInvalid`.
    init(_ configuration: TLSConfiguration) throws(AsyncNetError) {
        _ = try OpenSSL.version.get()
        self.configuration = configuration
        raw = try Self.make(configuration)
    }

    deinit { at_free_context(raw) }

    func session(
        for endpoint: ServerEndpoint, offering protocols: [String]
    ) throws(AsyncNetError) -> TLSSession {
        guard let host = HostName(endpoint.host) else {
            throw AsyncNetError(.malformedURL, "The host is not a name that a certificate could have")
        }
        let list = protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        let ticket = takeTicket(endpoint)
        let made = at_make_session(
            raw, configuration.verifiesHostName ? host.text : nil, host.isAddress ? 1 : 0,
            host.isAddress ? nil : host.text, list.isEmpty ? nil : list, list.count, ticket?.raw)
        guard let made else { throw AsyncNetError(.tlsHandshakeFailed, "OpenSSL cannot begin a connection") }
        return TLSSession(made, self, endpoint, offered: protocols)
    }

    // MARK: Tickets

    func keep(_ ticket: TLSTicket, of endpoint: ServerEndpoint) {
        if tickets.count >= Self.mostServers { tickets = [:] }
        tickets[endpoint, default: []].append(ticket)
        if tickets[endpoint]?.count ?? 0 > Self.mostTickets { tickets[endpoint]?.removeFirst() }
    }

    private func takeTicket(_ endpoint: ServerEndpoint) -> TLSTicket? {
        guard let ticket = tickets[endpoint]?.last else { return nil }
        if at_is_for_one_use(ticket.raw) == 1 { tickets[endpoint]?.removeLast() }
        return ticket
    }

    // MARK: Settings

    private static func make(_ configuration: TLSConfiguration) throws(AsyncNetError) -> OpaquePointer {
        let anchors = try anchors(configuration.trust)
        let identity = try configuration.clientIdentity.map { identity throws(AsyncNetError) in try read(identity) }
        var settings = at_settings()
        switch configuration.trust.kind {
        case .system: settings.trust = Int32(AT_TRUST_SYSTEM)
        case .anchors, .file, .refused: settings.trust = Int32(AT_TRUST_ANCHORS)
        case .disabled: settings.trust = Int32(AT_TRUST_NOBODY_ASKED)
        }
        settings.minimum_version = configuration.minimumVersion.number
        settings.maximum_version = configuration.maximumVersion?.number ?? 0
        settings.requires_status = configuration.requiresStapledStatus ? 1 : 0
        let keyLog = configuration.keyLog.path
        var problem = Int32(0)
        var text = [CChar](repeating: 0, count: 160)
        let made = anchors.withUnsafeBytes { anchors in
            (identity?.certificate ?? Data()).withUnsafeBytes { certificate in
                (identity?.key ?? Data()).withUnsafeBytes { key in
                    (settings.anchors, settings.anchors_size) = (anchors.baseAddress, anchors.count)
                    settings.certificate = identity == nil ? nil : certificate.baseAddress
                    settings.certificate_size = certificate.count
                    (settings.key, settings.key_size) = (key.baseAddress, key.count)
                    return withOptionalText(identity?.password) { password in
                        withOptionalText(keyLog) { keyLog in
                            (settings.password, settings.key_log) = (password, keyLog)
                            return at_make_context(&settings, &problem, &text, text.count)
                        }
                    }
                }
            }
        }
        if let made { return made }
        throw error(problem, OpenSSL.text(&text) ?? "")
    }

    private static func withOptionalText<Value>(
        _ text: String?, _ body: (UnsafePointer<CChar>?) -> Value
    ) -> Value {
        guard let text else { return body(nil) }
        return text.withCString { body($0) }
    }

    private static func error(_ problem: Int32, _ text: String) -> AsyncNetError {
        let cause = text.isEmpty ? "" : " (\(text))"
        return switch Int(problem) {
        case Int(AT_BAD_ANCHORS):
            AsyncNetError(.invalidConfiguration, "The trust anchors contain no certificate that can be read\(cause)")
        case Int(AT_BAD_IDENTITY):
            AsyncNetError(
                .clientCertificateInvalid,
                "The client identity's certificate and key cannot be read, or do not fit\(cause)")
        case Int(AT_BAD_KEY_LOG):
            AsyncNetError(.invalidConfiguration, "The file that SSLKEYLOGFILE names cannot be written")
        default: AsyncNetError(.transportFailed, "OpenSSL has no memory for another configuration")
        }
    }

    private static func anchors(_ trust: TLSConfiguration.Trust) throws(AsyncNetError) -> Data {
        switch trust.kind {
        case .system, .disabled, .refused: Data()
        case .anchors(let pem): pem
        case .file(let path): try read(path, .invalidConfiguration, "The trust anchors")
        }
    }

    private typealias Identity = (certificate: Data, key: Data, password: String?)

    private static func read(_ identity: TLSConfiguration.ClientIdentity) throws(AsyncNetError) -> Identity {
        switch identity.kind {
        case .memory(let certificate, let key): return (certificate, key, identity.password)
        case .files(let certificate, let key):
            let text = "The client identity's file"
            return (
                try read(certificate, .clientCertificateInvalid, text), try read(key, .clientCertificateInvalid, text),
                identity.password
            )
        }
    }

    private static func read(
        _ path: String, _ code: AsyncNetError.Code, _ what: String
    ) throws(AsyncNetError) -> Data {
        do {
            return try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw AsyncNetError(code, "\(what) cannot be read", underlyingError: error)
        }
    }
}

extension TLSConfiguration.Version {
    /// The number of the protocol on the wire.
    fileprivate var number: Int32 {
        switch self {
        case .tls10: 0x0301
        case .tls11: 0x0302
        case .tls12: 0x0303
        case .tls13: 0x0304
        }
    }
}

/// What a server gave to resume a session with.
final class TLSTicket {
    fileprivate let raw: OpaquePointer
    init(_ raw: OpaquePointer) { self.raw = raw }
    deinit { at_free_ticket(raw) }
}
