import AsyncNet
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The tokens of RFC 6749 §5.1.
struct Tokens: RefreshableCredential, Codable {
    var accessToken: String
    var refreshToken: String
}

/// Sends and refreshes tokens. Its own requests go over the session of the requests that need them, without a token.
struct Login: Authenticator {
    let session: Session

    func tokens(username: String, password: String) async throws(AsyncNetError) -> Tokens {
        try await tokens(for: ["grant_type": "password", "username": username, "password": password])
    }

    func apply(_ tokens: Tokens, to request: inout URLRequest) {
        request.setValue("Bearer \(tokens.accessToken)", forHTTPHeaderField: "Authorization")
    }

    func refresh(_ tokens: Tokens) async throws -> Tokens {
        try await self.tokens(for: ["grant_type": "refresh_token", "refresh_token": tokens.refreshToken])
    }

    private func tokens(for grant: [String: String]) async throws(AsyncNetError) -> Tokens {
        try await session.post("oauth/token", parameters: grant, encoder: .urlEncodedForm)
            .validate(decoding: ProblemDetails.self).serializing(Tokens.self).value
    }
}
