import Foundation

/// Remembers the challenges of each origin to each user, so that later requests are sent with credentials at once
/// (RFC 7617 §2.2, RFC 7616 §3.6). Holds no passwords.
final class ProtectionSpaces: Sendable {
    private enum Space: Sendable {
        /// The server sent a Basic challenge for these directories; the credentials are for all paths below them.
        case basic(paths: Set<String>)
        case digest(DigestAuthorization)
        /// The credentials were rejected: none are sent before the next challenge. The nonce count is kept.
        case refused(DigestAuthorization)

        var digest: DigestAuthorization? {
            switch self {
            case .basic: nil
            case .digest(let digest), .refused(let digest): digest
            }
        }
    }

    private let spaces = RecentTable<Space?>(capacity: 512)
    private static let pathLimit = 64

    /// The value of `Authorization` to send without a challenge; `nil` for an unknown protection space.
    func header(for request: TransportRequest, _ credential: PasswordCredential) throws -> String? {
        try spaces.withValue(of: Self.key(request, credential), default: nil) { space throws -> String? in
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
    }

    /// The value of `Authorization` in response to a 401; `nil` if no credentials are sent. Remembers the challenge,
    /// also if the request's body cannot be sent again.
    ///
    /// - Parameter refused: The `Authorization` that this 401 refused; `nil` if the request had none. The same
    ///   credentials are sent again only if the server calls the nonce stale.
    func answer(
        _ response: HTTPResponseHead, to request: TransportRequest, _ credential: PasswordCredential, refused: String?
    ) throws -> String? {
        let challenges = AuthenticationChallenge.challenges(in: response.headers.values(for: "WWW-Authenticate"))
        guard let challenge = DigestAuthorization.preferred(of: challenges, canHashBody: request.body.isInMemory) else {
            return nil
        }
        let key = Self.key(request, credential)
        guard let digest = DigestAuthorization(challenge) else {
            guard refused?.hasPrefix("Basic ") != true else { return nil }
            remember(Self.directory(of: Self.path(request)), key)
            return try BasicAuthorization.header(user: credential.username, password: credential.password)
        }
        if let refused, refused.hasPrefix("Digest "), !digest.isStale { return nil }
        return try spaces.withValue(of: key, default: nil) { space throws -> String? in
            var digest = digest
            if let previous = space?.digest { digest.succeed(previous) }
            defer { space = .digest(digest) }
            return try !request.body.isReadable ? nil : Self.header(&digest, for: request, credential)
        }
    }

    /// Uses the next nonce that a response sends (RFC 7616 §3.5).
    func receive(_ response: HTTPResponseHead, to request: TransportRequest, _ credential: PasswordCredential) {
        guard let info = response.value(for: "Authentication-Info") else { return }
        spaces.withValue(of: Self.key(request, credential), default: nil) { space in
            guard case .digest(var digest) = space else { return }
            digest.receive(authenticationInfo: info)
            space = .digest(digest)
        }
    }

    func forget(_ request: TransportRequest, _ credential: PasswordCredential) {
        spaces.withValue(of: Self.key(request, credential), default: nil) { $0 = $0?.digest.map(Space.refused) }
    }

    private func remember(_ path: String, _ key: String) {
        spaces.withValue(of: key, default: nil) { space in
            var paths: Set<String> = []
            if case .basic(let known) = space { paths = known }
            if paths.count >= Self.pathLimit { paths = [] }
            paths.insert(path)
            space = .basic(paths: paths)
        }
    }

    private static func header(
        _ digest: inout DigestAuthorization, for request: TransportRequest, _ credential: PasswordCredential
    ) throws(AsyncNetError) -> String? {
        try digest.header(
            method: request.head.method, uri: target(request), user: credential.username, password: credential.password,
            body: {
                request.body.isNone ? [] : request.body.data.map { Array($0) }
            })
    }

    private static func key(_ request: TransportRequest, _ credential: PasswordCredential) -> String {
        "\(request.head.url.origin) \(credential.username)"
    }

    private static func path(_ request: TransportRequest) -> String {
        let path = request.head.url.path(percentEncoded: true)
        return path.isEmpty ? "/" : path
    }

    private static func target(_ request: TransportRequest) -> String {
        let reference = URLReference(request.head.urlText)
        return (reference.path.isEmpty ? "/" : reference.path) + (reference.query.map { "?\($0)" } ?? "")
    }

    /// The path up to and including its last slash.
    private static func directory(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
    }
}
