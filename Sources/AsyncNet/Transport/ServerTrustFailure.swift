import Foundation

/// The certificates of a server that was not trusted: the ``AsyncNetError/underlyingError`` of `.certificateNotTrusted`,
/// `.certificateExpired`, `.certificateHostMismatch`, `.certificatePinMismatch` and `.certificateRevoked`.
///
/// Errors of URLSession have one only on Apple platforms, with other settings than the default. The error of a host
/// that ``TLSConfiguration/refused`` refuses, which happens before a connection is made, has none.
public struct ServerTrustFailure: Error, Sendable, Hashable {
    /// The certificates that the server showed, its own first. Empty if the server's own certificate cannot be read,
    /// and over libcurl unless the handshake had succeeded, as with a wrong pin.
    public var certificates: [ServerCertificate]
    /// The expected pins, if the server has none of them.
    public var expectedPins: [String]

    /// The pin of the server's own certificate; `nil` without ``certificates``.
    public var pin: String? { certificates.first?.pin }

    /// Makes a value, for tests.
    public init(certificates: [ServerCertificate], expectedPins: [String] = []) {
        self.certificates = certificates
        self.expectedPins = expectedPins
    }
}

extension ServerTrustFailure: CustomStringConvertible {
    /// The server's own certificate in a few words; after a pin mismatch the pins too.
    public var description: String {
        let shown = certificates.first.map { "the server showed \($0)" } ?? "the server's certificate is not known"
        guard !expectedPins.isEmpty else { return shown }
        let more = expectedPins.count > 4 ? " and \(expectedPins.count - 4) more" : ""
        let pins = expectedPins.prefix(4).joined(separator: ", ") + more
        return "\(shown)\(pin.map { "; its pin is \($0)" } ?? ""); pinned: \(pins)"
    }
}

extension AsyncNetError {
    /// The certificates of a server that was not trusted, and the expected pins; `nil` for another error, and over
    /// transports that do not know them.
    public var serverTrust: ServerTrustFailure? { underlyingError as? ServerTrustFailure }

    /// This error with the certificates in its message and as its cause.
    package func with(_ failure: ServerTrustFailure) -> AsyncNetError {
        let isKnown = !failure.certificates.isEmpty || !failure.expectedPins.isEmpty
        return AsyncNetError(code, isKnown ? "\(message); \(failure)" : message, underlyingError: failure)
    }
}

extension TransportMetrics {
    /// Those of ``certificates`` that can be read. Empty if the server's own certificate cannot be read, and on a
    /// reused connection, which has no new handshake.
    public var serverCertificates: [ServerCertificate] { ServerCertificate.chain(certificates) }
}

extension ConnectionInfo {
    /// Those of ``certificates`` that can be read. Empty if the server's own certificate cannot be read.
    public var serverCertificates: [ServerCertificate] { ServerCertificate.chain(certificates) }
}

extension ServerCertificate {
    /// The readable certificates of a chain in PEM. Empty if the first one cannot be read: an issuer's certificate must
    /// not take the place of the server's.
    static func chain(_ pems: [String]) -> [ServerCertificate] {
        guard let first = pems.first, let own = try? ServerCertificate(Data(first.utf8)) else { return [] }
        return [own] + pems.dropFirst().compactMap { try? ServerCertificate(Data($0.utf8)) }
    }
}
