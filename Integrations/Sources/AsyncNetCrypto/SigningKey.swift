public import Crypto
public import CryptoExtras
import Foundation

/// A private or shared key, with the algorithm that it signs with.
///
///     let key = SigningKey.ed25519(try Curve25519.Signing.PrivateKey(rawRepresentation: bytes))
///
/// The keys are those of swift-crypto, which reads PEM and DER. A key is never part of a description.
public struct SigningKey: Sendable {
    let algorithm: SignatureAlgorithm
    private let sign: @Sendable (Data) throws -> Data

    /// HMAC with SHA-256: `hmac-sha256`, JWT's `HS256`.
    public static func hmacSHA256(_ key: SymmetricKey) -> SigningKey {
        SigningKey(algorithm: .hmacSHA256) { Data(HMAC<SHA256>.authenticationCode(for: $0, using: key)) }
    }

    /// EdDSA over Curve25519: `ed25519`, JWT's `EdDSA`.
    public static func ed25519(_ key: Curve25519.Signing.PrivateKey) -> SigningKey {
        SigningKey(algorithm: .ed25519) { try key.signature(for: $0) }
    }

    /// ECDSA over P-256 with SHA-256: `ecdsa-p256-sha256`, JWT's `ES256`.
    public static func ecdsaP256SHA256(_ key: P256.Signing.PrivateKey) -> SigningKey {
        SigningKey(algorithm: .ecdsaP256SHA256) { try key.signature(for: $0).rawRepresentation }
    }

    /// RSASSA-PSS with SHA-512 and a salt of 64 bytes: `rsa-pss-sha512`, JWT's `PS512`.
    public static func rsaPSSSHA512(_ key: _RSA.Signing.PrivateKey) -> SigningKey {
        SigningKey(algorithm: .rsaPSSSHA512) {
            try key.signature(for: SHA512.hash(data: $0), padding: .PSS).rawRepresentation
        }
    }

    /// RSASSA-PSS with SHA-256 and a salt of 32 bytes: JWT's `PS256`. RFC 9421 has no such algorithm.
    public static func rsaPSSSHA256(_ key: _RSA.Signing.PrivateKey) -> SigningKey {
        SigningKey(algorithm: .rsaPSSSHA256) {
            try key.signature(for: SHA256.hash(data: $0), padding: .PSS).rawRepresentation
        }
    }

    /// RSASSA-PKCS1-v1_5 with SHA-256: `rsa-v1_5-sha256`, JWT's `RS256`.
    public static func rsaV15SHA256(_ key: _RSA.Signing.PrivateKey) -> SigningKey {
        SigningKey(algorithm: .rsaV15SHA256) {
            try key.signature(for: SHA256.hash(data: $0), padding: .insecurePKCS1v1_5).rawRepresentation
        }
    }

    private init(algorithm: SignatureAlgorithm, sign: @escaping @Sendable (Data) throws -> Data) {
        self.algorithm = algorithm
        self.sign = sign
    }

    /// The signature of these bytes.
    func signature(for bytes: Data) throws -> Data { try sign(bytes) }
}

extension SigningKey: CustomStringConvertible, CustomReflectable {
    /// The algorithm's name, without the key.
    public var description: String { "a key for \(algorithm.name)" }

    /// Shown by `dump`; contains no secrets.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// An algorithm of signatures, by its names in RFC 9421 §6.2.2 and RFC 7518 §3.1.
enum SignatureAlgorithm: Sendable {
    case hmacSHA256
    case ed25519
    case ecdsaP256SHA256
    case rsaPSSSHA512
    case rsaPSSSHA256
    case rsaV15SHA256

    /// The name in HTTP message signatures; `nil` if these do not have the algorithm.
    var messageName: String? {
        switch self {
        case .hmacSHA256: "hmac-sha256"
        case .ed25519: "ed25519"
        case .ecdsaP256SHA256: "ecdsa-p256-sha256"
        case .rsaPSSSHA512: "rsa-pss-sha512"
        case .rsaPSSSHA256: nil
        case .rsaV15SHA256: "rsa-v1_5-sha256"
        }
    }

    /// The name in JSON web signatures.
    var tokenName: String {
        switch self {
        case .hmacSHA256: "HS256"
        case .ed25519: "EdDSA"
        case .ecdsaP256SHA256: "ES256"
        case .rsaPSSSHA512: "PS512"
        case .rsaPSSSHA256: "PS256"
        case .rsaV15SHA256: "RS256"
        }
    }

    var name: String { messageName ?? tokenName }
}
