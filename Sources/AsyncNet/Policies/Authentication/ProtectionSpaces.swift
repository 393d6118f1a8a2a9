import Foundation

/// What servers have asked for: remembered for each origin and user, so that the next request says at once who it is
/// from (RFC 7617 §2.2, RFC 7616 §3.6). Passwords are not kept.
package final class ProtectionSpaces: Sendable {
    private enum Space {
        /// Asked for below these paths.
        case basic(paths: Set<String>)
        case digest(DigestAuthorization)
        /// What was said for this one was refused: nothing more is said unasked, but its nonces stay counted.
        case refused(DigestAuthorization)

        var digest: DigestAuthorization? {
            switch self {
            case .basic: nil
            case .digest(let digest), .refused(let digest): digest
            }
        }
    }

    private let spaces = Locked(RecentTable<Space?>(capacity: 512))
    private static let pathLimit = 64

    package init() {}

    /// What to say unasked; `nil` where nothing is known.
    package func header(for request: TransportRequest, _ credential: Credential) throws -> String? {
        try spaces.withLock { spaces in
            try spaces.withValue(of: Self.key(request, credential), default: nil) {
                space -> Result<String?, any Error> in
                Result {
                    switch space {
                    case nil, .refused: return nil
                    case .basic(let paths):
                        guard paths.contains(where: { Self.path(request).hasPrefix($0) }) else { return nil }
                        return try BasicAuthorization.header(user: credential.username, password: credential.password)
                    case .digest(var digest):
                        defer { space = .digest(digest) }
                        return try Self.header(&digest, for: request, credential)
                    }
                }
            }.get()
        }
    }

    /// The answer to a 401; `nil` if there is none. What the server asks for is remembered, also for requests that
    /// cannot be sent again.
    ///
    /// - Parameter refused: What the request said already. Only a nonce that was stale, or is another by now, makes it
    ///   worth saying again.
    package func answer(
        _ response: HTTPResponseHead, to request: TransportRequest, _ credential: Credential, refused: String?
    ) throws -> String? {
        let challenges = AuthenticationChallenge.challenges(in: response.headers.values(for: "WWW-Authenticate"))
        guard let challenge = DigestAuthorization.preferred(of: challenges) else { return nil }
        let key = Self.key(request, credential)
        guard var digest = DigestAuthorization(challenge) else {
            guard refused?.hasPrefix("Basic ") != true else { return nil }
            remember(Self.directory(of: Self.path(request)), key)
            return try BasicAuthorization.header(user: credential.username, password: credential.password)
        }
        if let refused, refused.hasPrefix("Digest "), !digest.isStale { return nil }
        return try spaces.withLock { spaces in
            try spaces.withValue(of: key, default: nil) { space -> Result<String?, any Error> in
                if let previous = space?.digest { digest.succeed(previous) }
                defer { space = .digest(digest) }
                return Result {
                    try request.body.replay == .once ? nil : Self.header(&digest, for: request, credential)
                }
            }.get()
        }
    }

    /// What a response says of the next request, such as another nonce.
    package func receive(_ response: HTTPResponseHead, to request: TransportRequest, _ credential: Credential) {
        guard let info = response.value(for: "Authentication-Info") else { return }
        spaces.withLock { spaces in
            spaces.withValue(of: Self.key(request, credential), default: nil) { space in
                guard case .digest(var digest) = space else { return }
                digest.receive(authenticationInfo: info)
                space = .digest(digest)
            }
        }
    }

    /// The server has refused what it was told.
    package func forget(_ request: TransportRequest, _ credential: Credential) {
        spaces.withLock { spaces in
            spaces.withValue(of: Self.key(request, credential), default: nil) { $0 = $0?.digest.map(Space.refused) }
        }
    }

    private func remember(_ path: String, _ key: String) {
        spaces.withLock { spaces in
            spaces.withValue(of: key, default: nil) { space in
                var paths: Set<String> = []
                if case .basic(let known) = space { paths = known }
                if paths.count >= Self.pathLimit { paths = [] }
                paths.insert(path)
                space = .basic(paths: paths)
            }
        }
    }

    // MARK: Parts of a request

    private static func header(
        _ digest: inout DigestAuthorization, for request: TransportRequest, _ credential: Credential
    ) throws(AsyncNetError) -> String? {
        try digest.header(
            method: request.head.method, uri: target(request), user: credential.username, password: credential.password,
            body: {
                request.body.isNone ? [] : request.body.data.map { Array($0) }
            })
    }

    private static func key(_ request: TransportRequest, _ credential: Credential) -> String {
        "\(request.head.url.origin) \(credential.username)"
    }

    private static func path(_ request: TransportRequest) -> String {
        let path = request.head.url.path(percentEncoded: true)
        return path.isEmpty ? "/" : path
    }

    /// As in the request line.
    private static func target(_ request: TransportRequest) -> String {
        let reference = URLReference(request.head.urlText)
        return (reference.path.isEmpty ? "/" : reference.path) + (reference.query.map { "?\($0)" } ?? "")
    }

    /// All at or below the last slash.
    private static func directory(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
    }
}
