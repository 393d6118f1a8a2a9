/// What the HTTP proxies of a transport get as `Proxy-Authorization` (RFC 9110 §11.7.2): Basic at once, as curl does,
/// and Digest from the first challenge on. Shared by all threads of the transport, since each use of a nonce is counted.
final class ProxyAuthorizations: Sendable {
    private let digests = Locked<[ProxyServer: DigestAuthorization]>([:])
    /// How often challenges have a request sent again; a second time only if the challenge just renews the nonce.
    private static let mostAnswers = 2

    /// - Parameter body: The request's bytes, `nil` if they are not in memory.
    /// - Returns: `nil` without credentials, and if the challenge requires a hash of a body that is not in memory.
    func header(
        for proxy: ProxyServer, _ method: HTTPMethod, uri: String, body: () -> [UInt8]? = { [] }
    ) -> String? {
        guard let credentials = proxy.credentials else { return nil }
        let (user, password) = (credentials.user, credentials.password)
        // No error is possible: `ProxyServer` has refused credentials that a header cannot carry.
        return digests.withLock { digests in
            guard digests[proxy] != nil else { return try? BasicAuthorization.header(user: user, password: password) }
            return try? digests[proxy]?.header(method: method, uri: uri, user: user, password: password, body: body)
        }
    }

    /// Whether the same request is sent again, with another `header`, after a response with status 407.
    func receive(_ head: HTTPResponseHead, from proxy: ProxyServer, answers: Int) -> Bool {
        guard head.statusCode == 407, proxy.credentials != nil, answers < Self.mostAnswers else { return false }
        let challenges = AuthenticationChallenge.challenges(in: head.headers.values(for: "Proxy-Authenticate"))
        let digest = challenges.lazy.compactMap { DigestAuthorization($0) }.first
        guard answers == 0 || digest?.isStale == true else { return false }
        digests.withLock { digests in
            let previous = digests[proxy]
            digests[proxy] = digest
            if let previous { digests[proxy]?.succeed(previous) }
        }
        return digest != nil
    }
}
