public import Crypto
public import CryptoExtras
import Foundation

/// A public or shared key, with the algorithm of the signatures that it verifies.
public struct VerificationKey: Sendable {
    let algorithm: SignatureAlgorithm
    private let verify: @Sendable (_ signature: Data, _ bytes: Data) -> Bool

    /// HMAC with SHA-256: `hmac-sha256`.
    public static func hmacSHA256(_ key: SymmetricKey) -> VerificationKey {
        VerificationKey(algorithm: .hmacSHA256) { signature, bytes in
            HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: bytes, using: key)
        }
    }

    /// EdDSA over Curve25519: `ed25519`.
    public static func ed25519(_ key: Curve25519.Signing.PublicKey) -> VerificationKey {
        VerificationKey(algorithm: .ed25519) { key.isValidSignature($0, for: $1) }
    }

    /// ECDSA over P-256 with SHA-256: `ecdsa-p256-sha256`.
    public static func ecdsaP256SHA256(_ key: P256.Signing.PublicKey) -> VerificationKey {
        VerificationKey(algorithm: .ecdsaP256SHA256) { signature, bytes in
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: bytes)
        }
    }

    /// RSASSA-PSS with SHA-512 and a salt of 64 bytes: `rsa-pss-sha512`.
    public static func rsaPSSSHA512(_ key: _RSA.Signing.PublicKey) -> VerificationKey {
        VerificationKey(algorithm: .rsaPSSSHA512) { signature, bytes in
            let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
            return key.isValidSignature(signature, for: SHA512.hash(data: bytes), padding: .PSS)
        }
    }

    /// RSASSA-PKCS1-v1_5 with SHA-256: `rsa-v1_5-sha256`.
    public static func rsaV15SHA256(_ key: _RSA.Signing.PublicKey) -> VerificationKey {
        VerificationKey(algorithm: .rsaV15SHA256) { signature, bytes in
            let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
            return key.isValidSignature(signature, for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5)
        }
    }

    private init(algorithm: SignatureAlgorithm, verify: @escaping @Sendable (Data, Data) -> Bool) {
        self.algorithm = algorithm
        self.verify = verify
    }

    /// Whether the signature is one of these bytes by the owner of the key.
    func isValid(_ signature: Data, of bytes: Data) -> Bool { verify(signature, bytes) }
}

extension VerificationKey: CustomStringConvertible, CustomReflectable {
    /// The algorithm's name, without the key, which may be a secret.
    public var description: String { "a key for \(algorithm.name)" }

    /// Shown by `dump`; contains no secrets.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
