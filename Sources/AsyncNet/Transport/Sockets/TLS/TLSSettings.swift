import CAsyncNetTLS
import Foundation

/// The settings of an OpenSSL context, with the contents of the files that they name.
final class TLSSettings {
    private var raw = at_settings()
    private var memory: [UnsafeMutableRawPointer] = []

    init(_ configuration: TLSConfiguration) throws(AsyncNetError) {
        raw.requires_status = configuration.requiresStapledStatus ? 1 : 0
        raw.key_log = text(configuration.keyLog.path)
        setNames(configuration)
        try setTrust(configuration)
        if let identity = configuration.clientIdentity { try setIdentity(identity) }
    }

    deinit { for pointer in memory { pointer.deallocate() } }

    func makeContext() throws(AsyncNetError) -> OpaquePointer {
        var problem = Int32(0)
        var text = [CChar](repeating: 0, count: 160)
        if let made = at_make_context(&raw, &problem, &text, text.count) { return made }
        throw error(problem, OpenSSL.text(&text) ?? "")
    }

    private func setNames(_ configuration: TLSConfiguration) {
        raw.minimum_version = (configuration.versions?.minimum ?? .tls12).number
        raw.maximum_version = configuration.versions?.maximum?.number ?? 0
        let suites = configuration.cipherSuites
        // Anonymous suites are excluded: with one, anybody could be the server.
        raw.suites = list(suites.filter { !$0.isSuiteOfTLS13 }, ending: ":!aNULL:!eNULL")
        raw.suites_13 = list(suites.filter(\.isSuiteOfTLS13))
        raw.groups = list(configuration.groups)
    }

    private func setTrust(_ configuration: TLSConfiguration) throws(AsyncNetError) {
        switch configuration.trust.kind {
        case .system: raw.trust = Int32(AT_TRUST_SYSTEM)
        case .disabled: raw.trust = Int32(AT_TRUST_NOBODY_ASKED)
        case .refused: raw.trust = Int32(AT_TRUST_ANCHORS)
        case .anchors(let pem): setAnchors(pem)
        case .file(let path): setAnchors(try Self.read(path, .invalidConfiguration, "The trust anchors"))
        }
        switch configuration.revocationLists?.kind {
        case nil: break
        case .memory(let pem): (raw.lists, raw.lists_size) = bytes(pem)
        case .file(let path):
            (raw.lists, raw.lists_size) = bytes(try Self.read(path, .invalidConfiguration, "The revocation lists"))
        }
    }

    private func setAnchors(_ pem: Data) {
        raw.trust = Int32(AT_TRUST_ANCHORS)
        (raw.anchors, raw.anchors_size) = bytes(pem)
    }

    private func setIdentity(_ identity: TLSConfiguration.ClientIdentity) throws(AsyncNetError) {
        raw.is_pkcs12 = identity.isPKCS12 ? 1 : 0
        raw.password = text(identity.password)
        let what = "The client identity's file"
        switch identity.kind {
        case .memory(let certificate, let key): setIdentity(certificate, key)
        case .files(let certificate, let key):
            setIdentity(
                try Self.read(certificate, .clientCertificateInvalid, what),
                try Self.read(key, .clientCertificateInvalid, what))
        case .pkcs12(let data): setIdentity(data, Data())
        case .pkcs12File(let path): setIdentity(try Self.read(path, .clientCertificateInvalid, what), Data())
        }
    }

    private func setIdentity(_ certificate: Data, _ key: Data) {
        (raw.certificate, raw.certificate_size) = bytes(certificate)
        (raw.key, raw.key_size) = bytes(key)
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

    /// A copy of the bytes, followed by a 0, which lives as long as this object.
    private func bytes(_ data: Data) -> (UnsafeRawPointer, Int) {
        let copy = UnsafeMutableRawPointer.allocate(byteCount: data.count + 1, alignment: 1)
        data.copyBytes(to: UnsafeMutableRawBufferPointer(start: copy, count: data.count))
        copy.storeBytes(of: 0, toByteOffset: data.count, as: UInt8.self)
        memory.append(copy)
        return (UnsafeRawPointer(copy), data.count)
    }

    private func text(_ text: String?) -> UnsafePointer<CChar>? {
        text.map { bytes(Data($0.utf8)).0.assumingMemoryBound(to: CChar.self) }
    }

    private func list(_ names: [String], ending: String = "") -> UnsafePointer<CChar>? {
        names.isEmpty ? nil : text(names.joined(separator: ":") + ending)
    }

    private func error(_ problem: Int32, _ text: String) -> AsyncNetError {
        let cause = text.isEmpty ? "" : " (\(text))"
        return switch Int(problem) {
        case Int(AT_BAD_ANCHORS):
            AsyncNetError(.invalidConfiguration, "The trust anchors contain no certificate that can be read\(cause)")
        case Int(AT_BAD_LISTS):
            AsyncNetError(
                .invalidConfiguration,
                "The revocation lists contain no list in PEM, or one that is damaged\(cause); "
                    + "`openssl crl -inform DER` converts one in DER")
        case Int(AT_BAD_IDENTITY): AsyncNetError(.clientCertificateInvalid, identityProblem + cause)
        case Int(AT_BAD_SUITE):
            AsyncNetError(
                .invalidConfiguration, "cipherSuites: OpenSSL has no suite \(text) that authenticates and encrypts")
        case Int(AT_BAD_GROUP): AsyncNetError(.invalidConfiguration, "groups: OpenSSL has no group \(text)")
        case Int(AT_BAD_KEY_LOG):
            AsyncNetError(.invalidConfiguration, "The file that SSLKEYLOGFILE names cannot be written")
        default: AsyncNetError(.transportFailed, "OpenSSL has no memory for another configuration")
        }
    }

    private var identityProblem: String {
        raw.is_pkcs12 == 1
            ? "The client identity's PKCS#12 cannot be read: its password may be wrong, or its encryption too old for OpenSSL 3"
            : "The client identity's certificate and key cannot be read, or do not fit"
    }
}

extension TLSConfiguration.Version {
    fileprivate var number: Int32 {
        switch self {
        case .tls10: 0x0301
        case .tls11: 0x0302
        case .tls12: 0x0303
        case .tls13: 0x0304
        }
    }
}
