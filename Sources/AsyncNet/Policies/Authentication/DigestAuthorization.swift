/// The Digest scheme's state for one protection space (RFC 7616): the server's nonce, and how often it was used.
///
/// Holds no secret: user and password are given to each call. A new challenge makes a new state; ``isStale`` says that
/// the password was right and only the nonce was not.
package struct DigestAuthorization: Sendable {
    package let realm: String
    package let algorithm: HashAlgorithm
    /// Whether the server refused the last nonce only, not the password.
    package let isStale: Bool
    /// The URIs, absolute or paths, that the same credentials are for (§3.3); none means the whole server.
    package let domain: [String]
    private(set) var nonce: String
    let algorithmName: String?
    let opaque: String?
    let hashesUserName: Bool
    let isSession: Bool
    private let protections: Set<Protection>
    private var counts = NonceCounts()
    /// What the session's key was made with: the first nonce and cnonce (§3.4.2).
    private(set) var session: (nonce: String, cnonce: String)?

    /// `nil` unless the challenge is a Digest one with a realm and nonce, an algorithm that is known (MD5 if none is
    /// named), and a `qop` that offers `auth` or `auth-int`. No `qop` at all is RFC 2069's form.
    package init?(_ challenge: AuthenticationChallenge) {
        let parameters = challenge.parameters
        guard challenge.scheme == "digest", let realm = parameters["realm"], let nonce = parameters["nonce"] else {
            return nil
        }
        guard let (algorithm, isSession) = Self.algorithm(parameters["algorithm"] ?? "MD5") else { return nil }
        protections = Self.protections(parameters["qop"])
        guard !protections.isEmpty, ![realm, nonce, parameters["opaque"] ?? ""].contains(where: \.hasControlCharacter)
        else { return nil }
        (self.realm, self.nonce, self.algorithm, self.isSession) = (realm, nonce, algorithm, isSession)
        algorithmName = parameters["algorithm"]
        opaque = parameters["opaque"]
        isStale = parameters["stale"]?.lowercased() == "true"
        hashesUserName = parameters["userhash"]?.lowercased() == "true"
        domain = parameters["domain"]?.split(separator: " ").map { String($0) } ?? []
    }

    /// Which challenge to answer: the first Digest one that can be, else the first Basic one; `nil` if there is
    /// neither.
    ///
    /// The server's order decides among Digest challenges, not the algorithms' strength: it must put those it prefers
    /// first, and a client should take the first it supports (§3.7). Basic gives the password away, so it comes last
    /// wherever it stands.
    package static func preferred(of challenges: [AuthenticationChallenge]) -> AuthenticationChallenge? {
        challenges.first { DigestAuthorization($0) != nil } ?? challenges.first { $0.scheme == "basic" }
    }

    /// What stands in `Authorization` or `Proxy-Authorization` of the next request; counts the nonce's use.
    ///
    /// - Parameters:
    ///   - uri: The target as it stands in the request line: path and query, or for CONNECT host and port.
    ///   - body: The request's bytes, asked for only if the server offers `auth-int` and not `auth`; `nil` if they
    ///     cannot be had.
    ///   - cnonce: For tests; random by default.
    /// - Returns: `nil` if the server wants the body hashed and `body` gave none.
    /// - Throws: `.invalidRequest` for a name with a control character.
    package mutating func header(
        method: HTTPMethod, uri: String, user: String, password: String, body: () -> [UInt8]? = { [] },
        cnonce: String = Self.randomCnonce()
    ) throws(AsyncNetError) -> String? {
        guard !user.hasControlCharacter else {
            throw AsyncNetError(
                .invalidRequest, "The user's name holds a control character, which Digest authentication cannot send")
        }
        let protection = [.auth, .authInt, .none].first { protections.contains($0) } ?? .none
        let bodyHash =
            protection == .authInt ? body().map { MessageDigest.of($0, algorithm: algorithm).hexadecimal } : nil
        if protection == .authInt, bodyHash == nil { return nil }
        if isSession, session == nil { session = (nonce, cnonce) }
        let use = NonceUse(
            nonce: nonce, count: Self.eightDigits(counts.use(nonce)), cnonce: cnonce, protection: protection)
        let digest = response(
            to: use, key: key(user, password), subject: "\(method.rawValue):\(uri)", bodyHash: bodyHash)
        return header(use, uri: uri, user: user, response: digest)
    }

    /// Takes the nonce for the next request from `Authentication-Info` or `Proxy-Authentication-Info` (§3.5).
    package mutating func receive(authenticationInfo: String) {
        let next = AuthenticationChallenge.parameters(authenticationInfo)["nextnonce"]
        guard let next, !next.isEmpty, next != nonce, !next.hasControlCharacter else { return }
        nonce = next
    }

    /// Goes on counting where the state before left off: a server may send the same nonce with several challenges, and
    /// no count may be said twice.
    package mutating func succeed(_ previous: DigestAuthorization) { counts = previous.counts }

    /// Whether the server proved in `Authentication-Info` that it knows the password (§3.5); `nil` if it says nothing
    /// about it.
    ///
    /// - Parameters:
    ///   - authorization: The value that `header` returned for the request that this answers.
    ///   - body: The response's bytes, asked for only under `auth-int`; without them nothing can be said.
    package func isGenuine(
        authenticationInfo: String, answering authorization: String, user: String, password: String,
        body: () -> [UInt8]? = { [] }
    ) -> Bool? {
        let info = AuthenticationChallenge.parameters(authenticationInfo)
        let sent = AuthenticationChallenge.challenges(in: [authorization]).first?.parameters ?? [:]
        guard let proof = info["rspauth"], let uri = sent["uri"], let use = NonceUse(sent) else { return nil }
        guard info["cnonce"] ?? use.cnonce == use.cnonce, (info["nc"] ?? use.count).lowercased() == use.count else {
            return false
        }
        let bodyHash =
            use.protection == .authInt ? body().map { MessageDigest.of($0, algorithm: algorithm).hexadecimal } : nil
        if use.protection == .authInt, bodyHash == nil { return nil }
        return proof.lowercased() == response(to: use, key: key(user, password), subject: ":\(uri)", bodyHash: bodyHash)
    }
}
