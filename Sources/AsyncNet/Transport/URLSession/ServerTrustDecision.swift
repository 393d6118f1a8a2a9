import Foundation

/// Decides by the settings for its host whether a server is trusted. Functions of the platform are called elsewhere.
struct ServerTrustDecision: Sendable {
    let tls: TLSConfiguration
    let host: String

    /// What the platform verifies before the pins are compared.
    struct Evaluation: Sendable, Equatable {
        /// The only certificates that a chain may end at, in DER; `nil` for the system's.
        var anchors: [Data]?
        /// The host that the certificate must name; `nil` if it may name any.
        var hostName: String?
        var requiresStapledStatus = false
    }

    /// What the platform must verify; `nil` if it need not verify anything.
    func evaluation() throws(AsyncNetError) -> Evaluation? {
        let standard = Evaluation(
            hostName: tls.verifiesHostName ? host : nil, requiresStapledStatus: tls.requiresStapledStatus)
        switch tls.trust.kind {
        case .system: return standard
        case .disabled: return tls.requiresStapledStatus ? standard : nil
        case .refused: throw .unlisted(host)
        case .anchors(let pem): return try standard.with(anchors: pem, "among the trust anchors")
        case .file(let path): return try standard.with(anchors: Self.read(path), "in \(path)")
        }
    }

    private static func read(_ path: String) throws(AsyncNetError) -> Data {
        do {
            return try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw AsyncNetError(
                .invalidConfiguration, "The file of trust anchors, \(path), cannot be read", underlyingError: error)
        }
    }

    /// Why a server with this chain, in DER, is not trusted; `nil` if the server is trusted. `failure` is the
    /// platform's reason not to trust the server.
    func error(_ chain: [Data], _ failure: AsyncNetError?) -> AsyncNetError? {
        let certificates = ServerCertificate.chain(chain.map(PEM.text))
        if let failure { return failure.with(ServerTrustFailure(certificates: certificates)) }
        guard !tls.pins.isEmpty else { return nil }
        if let own = certificates.first, tls.pins.contains(own.pin) { return nil }
        return AsyncNetError(.certificatePinMismatch).with(
            ServerTrustFailure(certificates: certificates, expectedPins: tls.pins))
    }
}

extension ServerTrustDecision.Evaluation {
    fileprivate func with(anchors pem: Data, _ place: String) throws(AsyncNetError) -> Self {
        var evaluation = self
        let anchors = PEM.certificates(in: pem)
        guard !anchors.isEmpty else {
            throw AsyncNetError(.invalidConfiguration, "There is no certificate \(place), or its base64 is damaged")
        }
        evaluation.anchors = anchors
        return evaluation
    }
}
