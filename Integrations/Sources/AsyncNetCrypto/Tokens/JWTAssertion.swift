public import AsyncNet
public import Foundation

/// Makes JSON web tokens by which a client proves to an OAuth server who it is, or asks for an access token (RFC 7523).
///
///     let assertion = JWTAssertion(
///         issuer: "client-1", audience: "https://auth.example.com/token", key: .ecdsaP256SHA256(key), keyID: "key-1")
///     let form = [
///         "grant_type": "client_credentials",
///         "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
///         "client_assertion": try assertion.token(),
///     ]
///     let token = try await session.post("token", parameters: form, encoder: .urlEncodedForm)
///         .validate().serializing(AccessToken.self).value
///
/// Each token has the claims `iss`, `sub`, `aud`, `iat`, `exp`, and a random `jti`, since servers accept a token once. Make
/// a new one for each request.
public struct JWTAssertion: Sendable {
    private let claims: [String: JSON]
    private let key: SigningKey
    private let keyID: String?
    private let lifetime: Duration
    private let now: @Sendable () -> Date

    /// Creates assertions.
    ///
    /// - Parameters:
    ///   - issuer: Who signs, such as a client's identifier: `iss`.
    ///   - subject: Whom the token stands for: `sub`. With `nil`, the default, the issuer.
    ///   - audience: Whom the token is for, such as the URL of the server's tokens: `aud`.
    ///   - key: Signs, with `HS256`, `EdDSA`, `ES256`, `PS256`, `PS512` or `RS256`.
    ///   - keyID: Names the key for the server: `kid`; `nil`, the default, for no name.
    ///   - lifetime: The time from `iat` to `exp`, in whole seconds; a minute by default.
    ///   - claims: More claims, such as `scope`; they replace those above of the same names. Empty by default.
    ///   - now: The time of tokens; the system's by default.
    public init(
        issuer: String, subject: String? = nil, audience: String, key: SigningKey, keyID: String? = nil,
        lifetime: Duration = .seconds(60), claims: [String: JSON] = [:],
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        let own: [String: JSON] = ["iss": JSON(issuer), "sub": JSON(subject ?? issuer), "aud": JSON(audience)]
        self.claims = own.merging(claims) { $1 }
        self.key = key
        self.keyID = keyID
        self.lifetime = lifetime
        self.now = now
    }

    /// A new token, signed now. It is a secret until it expires.
    ///
    /// - Throws: `.encodingFailed` if the key cannot sign.
    public func token() throws(AsyncNetError) -> String {
        let issued = Int(now().timeIntervalSince1970)
        let times: [String: JSON] = [
            "iat": JSON(issued), "exp": JSON(issued + Int(lifetime.components.seconds)), "jti": JSON(UUID().uuidString),
        ]
        var header: [String: JSON] = ["alg": JSON(key.algorithm.tokenName), "typ": "JWT"]
        if let keyID { header["kid"] = JSON(keyID) }
        do {
            return try JSONWebSignature.compact(
                header: JSON(header).data(options: .sortedKeys),
                payload: JSON(times.merging(claims) { $1 }).data(options: .sortedKeys), key: key)
        } catch {
            throw AsyncNetError(.encodingFailed, "The token could not be signed", underlyingError: error)
        }
    }
}

extension JWTAssertion: CustomStringConvertible, CustomReflectable {
    /// The algorithm's name, without key and claims.
    public var description: String { "JWTAssertion with \(key.algorithm.tokenName)" }

    /// Shown by `dump`; contains no secrets.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
