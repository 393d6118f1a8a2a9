import Foundation

extension DigestAuthorization {
    /// The `qop` of credentials: which parts of the request their parameter `response` covers.
    enum Protection: String, Sendable {
        case none = ""
        case auth
        case authInt = "auth-int"
    }

    /// The fields of an `Authorization` header that depend on the nonce.
    struct NonceUse {
        let nonce: String
        let count: String
        let cnonce: String
        let protection: Protection
    }

    /// The use counts of the latest nonces: if responses arrive out of order, an earlier nonce may be used again.
    struct NonceCounts: Sendable {
        private var counts: [(nonce: String, count: UInt32)] = []
        private static var capacity: Int { 32 }

        mutating func use(_ nonce: String) -> UInt32 {
            let known = counts.firstIndex { $0.nonce.hasSameBytes(as: nonce) }.map { counts.remove(at: $0).count } ?? 0
            counts = counts.suffix(Self.capacity - 1) + [(nonce, known &+ 1)]
            return known &+ 1
        }
    }

    /// H(A1) of §3.4.2. User and password are normalized to NFC (§4); the realm is hashed as the server sent it.
    func key(_ user: String, _ password: String) -> String {
        let key = hash("\(user.normalized):\(realm):\(password.normalized)")
        guard isSession, let session else { return key }
        return hash("\(key):\(session.nonce):\(session.cnonce)")
    }

    /// The `response` of §3.4.1, and of RFC 2069 §2.1.2 without `qop`. `subject` is A2's method and target (§3.4.3).
    func response(to use: NonceUse, key: String, subject: String, bodyHash: String?) -> String {
        let subjectHash = hash(bodyHash.map { "\(subject):\($0)" } ?? subject)
        guard use.protection != .none else { return hash("\(key):\(use.nonce):\(subjectHash)") }
        return hash("\(key):\(use.nonce):\(use.count):\(use.cnonce):\(use.protection.rawValue):\(subjectHash)")
    }

    func hash(_ text: String) -> String { MessageDigest.of(text, algorithm: algorithm).hexadecimal }

    static func eightDigits(_ count: UInt32) -> String {
        withUnsafeBytes(of: count.bigEndian) { $0.hexadecimal }
    }

    static func randomCnonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }.hexadecimal
    }
}

extension String {
    /// NFC, so that a password gives the same bytes however it was typed.
    var normalized: String { precomposedStringWithCanonicalMapping }
}
