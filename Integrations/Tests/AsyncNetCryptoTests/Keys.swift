import Crypto
import CryptoExtras
import Foundation

/// The example keys of RFC 9421, appendix B.1, and of RFC 7515, appendix A. They protect nothing.
enum Keys {
    static let shared = SymmetricKey(
        data: Data(
            base64Encoded: "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==")!)
    static let ed25519 = try! Curve25519.Signing.PrivateKey(
        rawRepresentation: Data(base64Encoded: "n4Ni+HpISpVObnQMW0wOhCKROaIKqKtW/2ZYb2p9KcU=")!)
    static let p256 = try! P256.Signing.PublicKey(
        pemRepresentation: """
            -----BEGIN PUBLIC KEY-----
            MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqIVYZVLCrPZHGHjP17CTW0/+D9Lf
            w0EkjqF7xB4FivAxzic30tMM4GF+hR6Dxh71Z50VGGdldkkDXZCnTNnoXQ==
            -----END PUBLIC KEY-----
            """)
    static let privateP256 = P256.Signing.PrivateKey()
    static let rsaPSS = try! _RSA.Signing.PublicKey(
        pemRepresentation: """
            -----BEGIN PUBLIC KEY-----
            MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAr4tmm3r20Wd/PbqvP1s2
            +QEtvpuRaV8Yq40gjUR8y2Rjxa6dpG2GXHbPfvMs8ct+Lh1GH45x28Rw3Ry53mm+
            oAXjyQ86OnDkZ5N8lYbggD4O3w6M6pAvLkhk95AndTrifbIFPNU8PPMO7OyrFAHq
            gDsznjPFmTOtCEcN2Z1FpWgchwuYLPL+Wokqltd11nqqzi+bJ9cvSKADYdUAAN5W
            Utzdpiy6LbTgSxP7ociU4Tn0g5I6aDZJ7A8Lzo0KSyZYoA485mqcO0GVAdVw9lq4
            aOT9v6d+nb4bnNkQVklLQ3fVAvJm+xdDOp9LCNCN48V2pnDOkFV6+U9nV5oyc6XI
            2wIDAQAB
            -----END PUBLIC KEY-----
            """)
    static let rsa = try! _RSA.Signing.PrivateKey(keySize: .bits2048)
}

extension String {
    /// The bytes of base64 for URLs.
    var base64URLBytes: Data? {
        let text = replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4))
    }
}
