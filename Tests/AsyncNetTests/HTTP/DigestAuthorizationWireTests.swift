import Testing

@testable import AsyncNet

@Suite("Digest authentication: challenges, names and proofs", .timeLimit(.minutes(5)))
struct DigestAuthorizationWireTests {
    private static func challenges(_ values: String...) -> [AuthenticationChallenge] {
        AuthenticationChallenge.challenges(in: values)
    }

    @Test(
        "A challenge that is incomplete, not Digest, or of an unsupported algorithm or qop is refused",
        arguments: [
            "Basic realm=r, nonce=n", "Digest nonce=n", "Digest realm=r", "Digest realm=r, nonce=n, algorithm=SHA-512",
            "Digest realm=r, nonce=n, algorithm=MD4",
            "Digest realm=r, nonce=n, algorithm=\"\"", "Digest realm=r, nonce=n, algorithm=-sess",
            "Digest realm=r, nonce=n, qop=token",
            "Digest realm=r, nonce=n, qop=\"\"", "Digest realm=r, nonce=n, qop=\"auth-conf, none\"", "Digest",
            "Digest abc", "Digest realm=\"a\tb\", nonce=n",
        ])
    func refused(_ value: String) {
        #expect(Self.challenges(value).compactMap { DigestAuthorization($0) }.isEmpty)
    }

    @Test("The parameters of a Digest challenge are parsed from WWW-Authenticate, in upper or lower case")
    func read() throws {
        let digest = try DigestAuthorizationTests.digest(
            "digest REALM=\"r r\", nonce=n, stale=TRUE, domain=\"/a  http://b/c\", algorithm=sha-256")
        #expect(digest.realm == "r r")
        #expect(digest.isStale)
        #expect(digest.algorithm == .sha256)
        #expect(digest.domain == ["/a", "http://b/c"])
        let other = try DigestAuthorizationTests.digest("Digest realm=r, nonce=n, stale=false")
        #expect(!other.isStale)
        #expect(other.algorithm == .md5)
        #expect(other.domain.isEmpty)
    }

    @Test(
        "The first supported Digest challenge is preferred to later ones and to Basic (RFC 7616 §3.7)",
        arguments: [
            (["Basic realm=b, Digest realm=a, nonce=n, algorithm=SHA-256, Digest realm=c, nonce=n"], "a"),
            (["Digest realm=a, nonce=n", "Digest realm=c, nonce=n, algorithm=SHA-512-256"], "a"),
            (["Digest realm=a, nonce=n, algorithm=SHA-1024, Digest realm=c, nonce=n, algorithm=MD5"], "c"),
            (["Negotiate, Digest realm=a, nonce=n, qop=none", "Basic realm=b, Basic realm=c"], "b"),
            (["Bearer realm=a, Digest realm=b"], nil), ([], nil),
        ] as [([String], String?)])
    func preferred(_ values: [String], _ realm: String?) {
        let preferred = DigestAuthorization.preferred(of: AuthenticationChallenge.challenges(in: values))
        #expect(preferred?.parameters["realm"] == realm)
    }

    @Test("If the body cannot be hashed, a challenge that only offers auth-int gives way to the next")
    func unhashedBody() {
        let values = ["Digest realm=a, nonce=n, qop=auth-int", "Digest realm=b, nonce=n, qop=\"auth,auth-int\""]
        let challenges = AuthenticationChallenge.challenges(in: values)
        let preferred = DigestAuthorization.preferred(of: challenges, canHashBody: false)
        #expect(preferred?.parameters["realm"] == "b")
        #expect(DigestAuthorization.preferred(of: Array(challenges.prefix(1)), canHashBody: false) == nil)
    }

    @Test("Quotes and backslashes in Digest parameters are escaped in the header, and hashed unescaped")
    func quoting() throws {
        var digest = try DigestAuthorizationTests.digest(
            "Digest realm=\"re\\\"alm\\\\\", nonce=\"no\\\"n\", opaque=\"o\\\"\", qop=auth, algorithm=SHA-256")
        let header = try digest.header(method: .get, uri: "/?q=\"", user: "a\"b\\c", password: "p\"w", cnonce: "c")
        #expect(
            header == """
                Digest username="a\\"b\\\\c", realm="re\\"alm\\\\", uri="/?q=\\"", algorithm=SHA-256, nonce="no\\"n", nc=00000001, cnonce="c", qop=auth, \
                response="16189837bec56756e046ee81b9dde5aafab89978ca577cddbc9f72b1fa358a12", opaque="o\\""
                """)
    }

    @Test("A user name that is not ASCII is sent as username* in the encoding of RFC 8187")
    func extendedName() throws {
        var digest = try DigestAuthorizationTests.digest(
            "Digest realm=r, nonce=n, qop=auth, algorithm=SHA-256, charset=UTF-8")
        let header = try #require(
            try digest.header(
                method: .get, uri: "/", user: "J\u{E4}s\u{F8}n Doe", password: "Secret, or not?", cnonce: "c"))
        #expect(header.hasPrefix("Digest username*=UTF-8''J%C3%A4s%C3%B8n%20Doe, realm=\"r\""))
        #expect(header.contains("response=\"53245c711486626174c1a92be12ff9fe29e74199d340003dd59fa32a10f5de69\""))
        let other = try #require(try digest.header(method: .get, uri: "/", user: "é*'%!\"", password: "p"))
        #expect(other.hasPrefix("Digest username*=UTF-8''%C3%A9%2A%27%25!%22, "))
        #expect(HTTPSyntax.isFieldValue(other))
    }

    @Test(
        "A control character in the Digest user name is an error that does not show the name",
        arguments: ["secret\n", "\0secret", "secret\u{7F}"])
    func controls(_ user: String) throws {
        var digest = try DigestAuthorizationTests.digest("Digest realm=r, nonce=n, qop=auth")
        let error = #expect(throws: AsyncNetError.self) {
            try digest.header(method: .get, uri: "/", user: user, password: "p")
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.description.contains("secret") == false)
    }

    @Test(
        "The description and dump of a DigestAuthorization contain neither user, password nor response",
        arguments: ["MD5", "SHA-256-sess"])
    func secrets(_ algorithm: String) throws {
        var digest = try DigestAuthorizationTests.digest("Digest realm=r, nonce=n, qop=auth, algorithm=\(algorithm)")
        let header = try digest.header(method: .get, uri: "/", user: "somebody", password: "hidden", cnonce: "c")
        let response = try #require(try DigestAuthorizationTests.parameters(header)["response"])
        var text = "\(digest) \(String(reflecting: digest)) "
        dump(digest, to: &text)
        for secret in ["somebody", "hidden", response] { #expect(!text.contains(secret)) }
    }
}
