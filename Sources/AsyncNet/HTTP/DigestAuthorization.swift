/// The Digest scheme's state for one protection space (RFC 7616): the server's nonce, and how often it was used, but no
/// secret. A new challenge makes a new state.
struct DigestAuthorization: Sendable {
    let realm: String
    let algorithm: HashAlgorithm
    /// Whether the server rejected only the last nonce, not the password (`stale`, §3.3).
    let isStale: Bool
    /// The URIs, absolute or paths, that the same credentials are for (§3.3); empty for the whole server.
    let domain: [String]
    private(set) var nonce: String
    let algorithmName: String?
    let opaque: String?
    let hashesUserName: Bool
    let isSession: Bool
    private let protections: Set<Protection>
    private var counts = NonceCounts()
    /// The first nonce and cnonce, which the key of a `-sess` algorithm is made of (§3.4.2).
    private(set) var session: (nonce: String, cnonce: String)?

    /// Reads a challenge; `nil` unless it is a Digest challenge with a realm, a nonce, a known algorithm (MD5 if none
    /// is named), and a `qop` that offers `auth` or `auth-int`. A challenge without `qop` has the form of RFC 2069.
    init?(_ challenge: AuthenticationChallenge) {
        let parameters = challenge.parameters
        guard challenge.scheme == "digest", let realm = parameters["realm"], let nonce = parameters["nonce"] else {
            return nil
        }
        guard let (algorithm, isSession) = Self.algorithm(parameters["algorithm"] ?? "MD5") else { return nil }
        protections = Self.protections(parameters["qop"])
        guard !protections.isEmpty, ![realm, nonce, parameters["opaque"] ?? ""].contains(where: \.hasControlCharacter)
        else { return nil }
        self.realm = realm
        self.nonce = nonce
        self.algorithm = algorithm
        self.isSession = isSession
        algorithmName = parameters["algorithm"]
        opaque = parameters["opaque"]
        isStale = parameters["stale"]?.lowercased() == "true"
        hashesUserName = parameters["userhash"]?.lowercased() == "true"
        domain = parameters["domain"]?.split(separator: " ").map { String($0) } ?? []
    }

    /// The challenge to respond to: the first supported Digest challenge, else the first Basic challenge.
    ///
    /// The server lists the algorithm that it prefers first (§3.7). Basic sends the password itself, so it comes last.
    ///
    /// - Parameter canHashBody: Whether a challenge that only offers `auth-int` can be responded to.
    static func preferred(
        of challenges: [AuthenticationChallenge], canHashBody: Bool = true
    ) -> AuthenticationChallenge? {
        let digest = challenges.first { challenge in
            DigestAuthorization(challenge).map { canHashBody || $0.protections != [.authInt] } == true
        }
        return digest ?? challenges.first { $0.scheme == "basic" }
    }

    /// The value of `Authorization` or `Proxy-Authorization` for the next hop; counts a use of the nonce.
    ///
    /// - Parameter uri: The target as in the request line: path and query, or host and port for CONNECT.
    /// - Parameter body: Called only if the server offers `auth-int` without `auth`; `nil` for bytes not in memory.
    /// - Returns: `nil` if the body has to be hashed and `body` returned `nil`.
    /// - Throws: `.invalidRequest` for a user name with a control character.
    mutating func header(
        method: HTTPMethod, uri: String, user: String, password: String, body: () -> [UInt8]? = { [] },
        cnonce: String = Self.randomCnonce()
    ) throws(AsyncNetError) -> String? {
        guard !user.hasControlCharacter else {
            throw AsyncNetError(
                .invalidRequest, "The user's name contains a control character, which Digest authentication cannot send"
            )
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

    /// Uses the `nextnonce` of `Authentication-Info` or `Proxy-Authentication-Info` for the next hop (§3.5).
    mutating func receive(authenticationInfo: String) {
        let next = AuthenticationChallenge.parameters(authenticationInfo)["nextnonce"]
        guard let next, !next.isEmpty, next != nonce, !next.hasControlCharacter else { return }
        nonce = next
    }

    /// Continues the counts of the previous state: a server may repeat a nonce, and no count may be sent twice.
    mutating func succeed(_ previous: DigestAuthorization) { counts = previous.counts }
}
