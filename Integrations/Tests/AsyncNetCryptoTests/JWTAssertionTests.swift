import AsyncNet
import AsyncNetTesting
import Crypto
import CryptoExtras
import Foundation
import Testing

@testable import AsyncNetCrypto

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("JSON web tokens: vectors of RFC 7515 and RFC 8037")
struct JSONWebSignatureTests {
    private static let payload = Data(
        "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}".utf8)
    private static let encodedPayload =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    @Test("RFC 7515 A.1: HS256")
    func hs256() throws {
        let key = try #require(
            "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow".base64URLBytes)
        let token = try JSONWebSignature.compact(
            header: Data("{\"typ\":\"JWT\",\r\n \"alg\":\"HS256\"}".utf8), payload: Self.payload,
            key: .hmacSHA256(SymmetricKey(data: key)))
        #expect(
            token
                == "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(Self.encodedPayload).dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        )
    }

    @Test("RFC 7515 A.2: RS256")
    func rs256() throws {
        let parts = try [
            "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ",
            "AQAB",
            "Eq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyWPEAeP88vLNO97IjlA7_GQ5sLKMgvfTeXZx9SE-7YwVol2NXOoAJe46sui395IW_GO-pWJ1O0BkTGoVEn2bKVRUCgu-GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzjkn439X0M_V51gfpRLI9JYanrC4D4qAdGcopV_0ZHHzQlBjudU2QvXt4ehNYTCBr6XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl_x_jTj3ccPDVZFD9pIuhLhBOneufuBiB4cS98l2SR_RQyGWSeWjnczT0QU91p1DhOVRuOopznQ",
            "4BzEEOtIpmVdVEZNCqS7baC4crd0pqnRH_5IB3jw3bcxGn6QLvnEtfdUdiYrqBdss1l58BQ3KhooKeQTa9AB0Hw_Py5PJdTJNPY8cQn7ouZ2KKDcmnPGBY5t7yLc1QlQ5xHdwW1VhvKn-nXqhJTBgIPgtldC-KDV5z-y2XDwGUc",
            "uQPEfgmVtjL0Uyyx88GZFF1fOunH3-7cepKmtH4pxhtCoHqpWmT8YAmZxaewHgHAjLYsp1ZSe7zFYHj7C6ul7TjeLQeZD_YwD66t62wDmpe_HlB-TnBA-njbglfIsRLtXlnDzQkv5dTltRJ11BKBBypeeF6689rjcJIDEz9RWdc",
        ].map { try #require($0.base64URLBytes) }
        let key = try _RSA.Signing.PrivateKey(n: parts[0], e: parts[1], d: parts[2], p: parts[3], q: parts[4])
        let token = try JSONWebSignature.compact(
            header: Data(#"{"alg":"RS256"}"#.utf8), payload: Self.payload, key: .rsaV15SHA256(key))
        #expect(
            token
                == "eyJhbGciOiJSUzI1NiJ9.\(Self.encodedPayload).cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"
        )
    }

    @Test("RFC 7515 A.3: a signature of ES256 is verified, and so is one that is made")
    func es256() throws {
        let secret = try #require("jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI".base64URLBytes)
        let key = try P256.Signing.PrivateKey(rawRepresentation: secret)
        let publicKey = VerificationKey.ecdsaP256SHA256(key.publicKey)
        let input = "eyJhbGciOiJFUzI1NiJ9.\(Self.encodedPayload)"
        let signature = "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        #expect(publicKey.isValid(try #require(signature.base64URLBytes), of: Data(input.utf8)))
        let token = try JSONWebSignature.compact(
            header: Data(#"{"alg":"ES256"}"#.utf8), payload: Self.payload, key: .ecdsaP256SHA256(key))
        #expect(token.hasPrefix("\(input)."))
        #expect(publicKey.isValid(try #require(token.signature), of: Data(input.utf8)))
    }

    @Test("RFC 8037 A.4: EdDSA")
    func edDSA() throws {
        let secret = try #require("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A".base64URLBytes)
        let token = try JSONWebSignature.compact(
            header: Data(#"{"alg":"EdDSA"}"#.utf8), payload: Data("Example of Ed25519 signing".utf8),
            key: .ed25519(Curve25519.Signing.PrivateKey(rawRepresentation: secret)))
        #expect(
            token
                == "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
        )
    }

    @Test("PS256 has a salt of 32 bytes, PS512 one of 64")
    func pss() throws {
        let bytes = Data("message".utf8)
        let signature = try SigningKey.rsaPSSSHA256(Keys.rsa).signature(for: bytes)
        #expect(
            Keys.rsa.publicKey.isValidSignature(
                .init(rawRepresentation: signature), for: SHA256.hash(data: bytes), padding: .PSS))
        #expect(SigningKey.rsaPSSSHA256(Keys.rsa).algorithm.tokenName == "PS256")
        #expect(SigningKey.rsaPSSSHA512(Keys.rsa).algorithm.tokenName == "PS512")
    }
}

@Suite("JSON web tokens: assertions", .timeLimit(.minutes(1)))
struct JWTAssertionTests {
    private static let now = Date(timeIntervalSince1970: 1_300_819_320)

    @Test("Claims and header; the lifetime is a minute")
    func claims() throws {
        let assertion = JWTAssertion(
            issuer: "client", audience: "https://auth.example.com/token", key: .ed25519(Keys.ed25519), keyID: "key-1",
            now: { Self.now })
        let token = try assertion.token()
        #expect(try token.json(0) == ["alg": "EdDSA", "kid": "key-1", "typ": "JWT"])
        var payload = try token.json(1)
        #expect(payload.jti.string?.count == 36)
        #expect(payload.jti != (try assertion.token().json(1).jti))
        payload["jti"] = nil
        #expect(
            payload == [
                "iss": "client", "sub": "client", "aud": "https://auth.example.com/token", "iat": 1_300_819_320,
                "exp": 1_300_819_380, "jti": nil,
            ])
    }

    @Test("A subject, a lifetime and claims of the caller's, which replace others")
    func ownClaims() throws {
        let token = try JWTAssertion(
            issuer: "service", subject: "user", audience: "a", key: .hmacSHA256(Keys.shared), lifetime: .seconds(3600),
            claims: ["scope": "read", "aud": ["a", "b"]], now: { Self.now }
        ).token()
        #expect(try token.json(0) == ["alg": "HS256", "typ": "JWT"])
        let payload = try token.json(1)
        #expect(payload.sub.string == "user")
        #expect(payload.scope.string == "read")
        #expect(payload.aud == ["a", "b"])
        #expect(payload.exp.int == 1_300_822_920)
    }

    @Test("A description has neither key nor claims")
    func description() {
        let assertion = JWTAssertion(issuer: "client", audience: "a", key: .hmacSHA256(Keys.shared))
        var text = ""
        dump(assertion, to: &text)
        #expect("\(assertion)" == "JWTAssertion with HS256")
        #expect(!text.contains("client"))
    }

    // MARK: Client credentials

    /// A token of a service, as its server sends it.
    private struct AccessToken: RefreshableCredential, Decodable {
        let value: String
        let lifetime: Int

        /// Before the first request.
        static let unset = AccessToken(value: "", lifetime: 0)

        var requiresRefresh: Bool { value.isEmpty }

        private enum CodingKeys: String, CodingKey {
            case value = "access_token"
            case lifetime = "expires_in"
        }
    }

    private struct ClientCredentials: Authenticator {
        let session: Session
        let url: URL
        let assertion: JWTAssertion

        func apply(_ token: AccessToken, to request: inout URLRequest) {
            request.setValue("Bearer \(token.value)", forHTTPHeaderField: "Authorization")
        }

        func refresh(_ token: AccessToken) async throws -> AccessToken {
            let form = [
                "grant_type": "client_credentials",
                "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                "client_assertion": try assertion.token(),
            ]
            return try await session.post(url, parameters: form, encoder: .urlEncodedForm).validate()
                .serializing(AccessToken.self).value
        }
    }

    @Test("A server verifies the assertion of a client, once for all requests that need a token")
    func clientCredentials() async throws {
        let server = try await MockServer.start()
        await server.route("/token") { request in
            let form = URLComponents(string: "?\(request.text)")?.queryItems ?? []
            let token = form.first { $0.name == "client_assertion" }?.value ?? ""
            let input = Data(token.split(separator: ".").prefix(2).joined(separator: ".").utf8)
            let isValid = VerificationKey.ed25519(Keys.ed25519.publicKey).isValid(token.signature ?? Data(), of: input)
            return isValid ? .json(#"{"access_token":"t1","expires_in":3600}"#) : .status(401)
        }
        await server.route("/data") { request in
            request.headers["Authorization"] == "Bearer t1" ? .text("ok") : .status(401)
        }
        let assertion = JWTAssertion(
            issuer: "client", audience: server.url("/token").absoluteString, key: .ed25519(Keys.ed25519))
        let credentials = ClientCredentials(session: Session(), url: server.url("/token"), assertion: assertion)
        let interceptor = AuthenticationInterceptor(authenticator: credentials, credential: .unset)
        let session = Session(configuration: .init(interceptors: [interceptor]))
        try await withThrowingTaskGroup { group in
            for _ in 0..<5 {
                group.addTask {
                    try await session.request(server.url("/data")).validate().serializing(String.self).value
                }
            }
            for try await text in group { #expect(text == "ok") }
        }
        #expect(server.requests.count { $0.path == "/token" } == 1)
        await server.stop()
    }
}

extension String {
    /// The signature of a token.
    fileprivate var signature: Data? { split(separator: ".").last.flatMap { String($0).base64URLBytes } }

    /// A part of a token: its header or its claims.
    fileprivate func json(_ index: Int) throws -> JSON {
        try JSON(data: try #require(String(split(separator: ".")[index]).base64URLBytes))
    }
}
