import Testing

@testable import AsyncNet

/// Where the RFCs have no example, a few lines of Python over hashlib made the responses.
@Suite("Digest authentication (RFC 7616)", .timeLimit(.minutes(5)))
struct DigestAuthorizationTests {
    private static let nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
    private static let cnonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
    private static let opaque = "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"

    static func digest(_ value: String) throws -> DigestAuthorization {
        try #require(
            DigestAuthorization.preferred(of: AuthenticationChallenge.challenges(in: [value])).flatMap {
                DigestAuthorization($0)
            })
    }

    static func parameters(_ header: String?) throws -> [String: String] {
        let header = try #require(header)
        return try #require(AuthenticationChallenge.challenges(in: [header]).first).parameters
    }

    @Test(
        "The Authorization header is as in RFC 7616 §3.9.1",
        arguments: [
            ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
            ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ])
    func example(_ algorithm: String, _ response: String) throws {
        var digest = try Self.digest(
            """
            Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\(algorithm), nonce="\(Self.nonce)", opaque="\(Self.opaque)"
            """)
        let header = try digest.header(
            method: .get, uri: "/dir/index.html", user: "Mufasa", password: "Circle of Life", cnonce: Self.cnonce)
        #expect(
            header == """
                Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", algorithm=\(algorithm), nonce="\(Self.nonce)", \
                nc=00000001, cnonce="\(Self.cnonce)", qop=auth, response="\(response)", opaque="\(Self.opaque)"
                """)
    }

    /// The RFC's own values are SHA-512 cut to 256 bits, which is another function; these are hashlib's.
    @Test(
        "The Authorization header is as in RFC 7616 §3.9.2, with corrected SHA-512/256 hashes",
        arguments: ["J\u{E4}s\u{F8}n Doe", "Ja\u{308}s\u{F8}n Doe"])
    func userHash(_ user: String) throws {
        var digest = try Self.digest(
            """
            Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", \
            opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, userhash=true
            """)
        let header = try digest.header(
            method: .get, uri: "/doe.json", user: user, password: "Secret, or not?",
            cnonce: "NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm")
        #expect(
            header == """
                Digest username="793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b", realm="api@example.org", uri="/doe.json", \
                algorithm=SHA-512-256, nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", nc=00000001, cnonce="NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm", \
                qop=auth, response="7a4e1192babbba02e91182d2895bfdbf7adafc6e48d4e517ca301974843d840c", \
                opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", userhash=true
                """)
    }

    @Test("After a Digest challenge without algorithm, credentials use MD5 and have no algorithm (RFC 2617 §3.5)")
    func rfc2617() throws {
        var digest = try Self.digest(
            "Digest realm=\"testrealm@host.com\", qop=\"auth,auth-int\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\", opaque=\"o\""
        )
        let header = try digest.header(
            method: .get, uri: "/dir/index.html", user: "Mufasa", password: "Circle Of Life", cnonce: "0a4f113b")
        #expect(try Self.parameters(header)["response"] == "6629fae49393a05397450978507c4ef1")
        #expect(try Self.parameters(header)["algorithm"] == nil)
    }

    /// The RFC's own value is wrong; this one is hashlib's.
    @Test(
        "After a Digest challenge without qop, credentials have no nc and no cnonce (RFC 2069 §2.4)",
        arguments: [
            ("", "1949323746fe6a43ef61f9606e7febea"),
            (", algorithm=sha-256", "89381827616a396139e299fae10b3a81aaa7bb9e04bee0dcb56ca48dd58af998"),
        ])
    func rfc2069(_ algorithm: String, _ response: String) throws {
        var digest = try Self.digest(
            "Digest realm=\"testrealm@host.com\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\"\(algorithm)")
        let header = try digest.header(method: .get, uri: "/dir/index.html", user: "Mufasa", password: "CircleOfLife")
        #expect(
            header == """
                Digest username="Mufasa", realm="testrealm@host.com", uri="/dir/index.html"\(algorithm), nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", \
                response="\(response)"
                """)
    }

    @Test("A quote before a combining mark in the realm of a Digest challenge is sent with a backslash")
    func combiningMark() throws {
        var digest = try Self.digest("Digest realm=\"a\\\"\u{301}b\", nonce=n")
        let header = try #require(try digest.header(method: .get, uri: "/", user: "u", password: "p"))
        #expect(header.unicodeScalars.count { $0 == "\\" } == 1, "\(header)")
    }

    @Test(
        "The Digest response of each algorithm with qop auth or auth-int is that of RFC 7616's formula",
        arguments: [
            ("MD5", "auth-int", "b7af3436ce664f690e8b612140354411"),
            ("MD5-sess", "auth", "e783283f46242139c486a698fec7211d"),
            ("MD5-sess", "auth-int", "bdecbb38b5af9fd4cb8a34642a1f29d2"),
            ("SHA-256", "auth-int", "5083f8ee06c5040ae8e6dc978e01d729b4e8bd527b76a68d5de3de50f39d17e1"),
            ("SHA-256-sess", "auth", "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"),
            ("SHA-256-sess", "auth-int", "354f565fd12222c17d53691b9bfb6d6eac5f7627a999940749444fcc0ad799d4"),
            ("SHA-512-256", "auth", "430d05014cecc49cab6fbe03176d41a1da86cbfe24a16580e22aaad928d960d0"),
            ("SHA-512-256", "auth-int", "33a851dcd96648a5677150f25f61fad23f96af902503e7600efb78ed5664ed49"),
            ("SHA-512-256-sess", "auth", "3f2a34f923c38b0fb26dce2fdfc2ce326c23cecf86fbb1444f3e51fbbc2cb92e"),
            ("sha-512-256-SESS", "AUTH-INT", "7de72daac33b36cde124e79521a2a1c5ff16373ee3d407394e1b58be5b7f7fe7"),
        ])
    func algorithms(_ algorithm: String, _ qop: String, _ response: String) throws {
        var digest = try Self.digest(
            "Digest realm=\"http-auth@example.org\", qop=\"\(qop)\", algorithm=\"\(algorithm)\", nonce=\"\(Self.nonce)\""
        )
        let header = try digest.header(
            method: qop == "auth" ? .get : .post, uri: "/dir/index.html", user: "Mufasa", password: "Circle of Life",
            body: { Array("a=b&c=d".utf8) }, cnonce: Self.cnonce)
        let parameters = try Self.parameters(header)
        #expect(parameters["response"] == response)
        #expect(parameters["qop"] == qop.lowercased())
        #expect(parameters["algorithm"] == algorithm)
    }

    @Test(
        "The body is hashed only if qop offers auth-int alone; a body that cannot be hashed gives no credentials"
    )
    func bodies() throws {
        var both = try Self.digest("Digest realm=r, nonce=n, qop=\"auth-int,auth\"")
        let header = try both.header(method: .get, uri: "/", user: "u", password: "p") {
            Issue.record("asked for")
            return nil
        }
        #expect(try Self.parameters(header)["qop"] == "auth")
        var integrity = try Self.digest("Digest realm=r, nonce=n, qop=\"auth-int,token\", algorithm=SHA-256")
        #expect(try integrity.header(method: .get, uri: "/x", user: "u", password: "p", body: { nil }) == nil)
        let parameters = try Self.parameters(
            try integrity.header(method: .get, uri: "/x", user: "u", password: "p", cnonce: "c"))
        #expect(parameters["response"] == "4135d1a6fdbefc77e0e2b3a3c2cfcee68688886103bd24fe110e7f756720e692")
        #expect(parameters["nc"] == "00000001")
    }

    @Test("A -sess algorithm keeps the key of its first request, even after a nextnonce")
    func sessions() throws {
        var digest = try Self.digest("Digest realm=r, nonce=n, qop=auth, algorithm=SHA-256-sess")
        var responses: [String?] = []
        for (uri, cnonce) in [("/1", "c1"), ("/2", "c2"), ("/3", "c3")] {
            if uri == "/3" { digest.receive(authenticationInfo: "nextnonce=\"n2\"") }
            let header = try digest.header(
                method: .get, uri: uri, user: "Mufasa", password: "Circle Of Life", cnonce: cnonce)
            responses.append(try Self.parameters(header)["response"])
        }
        #expect(responses[1] == "9ba27b4447730ea426edfea180fc5645b7897a33454f973c15f4dfc0ffd0fa53")
        #expect(responses[2] == "1d4da3e362a0fba97c6aaaa9376301aa1e3b220042eb868f8b15b642c6c7dbad")
    }

    @Test("A -sess algorithm without qop sends the cnonce that its key depends on")
    func legacySession() throws {
        var digest = try Self.digest("Digest realm=r, nonce=n, algorithm=MD5-sess")
        let parameters = try Self.parameters(
            try digest.header(method: .get, uri: "/", user: "Mufasa", password: "Circle Of Life", cnonce: "c"))
        #expect(parameters["response"] == "5fbb913124fc7b113e305f3376e09578")
        #expect(parameters["cnonce"] == "c")
        #expect(parameters["nc"] == nil)
    }

    @Test("The nonce count nc starts at 1 for each nonce, and is hexadecimal")
    func nonceCounts() throws {
        var digest = try Self.digest("Digest realm=r, nonce=n, qop=auth")
        func next() throws -> [String: String] {
            try Self.parameters(try digest.header(method: .get, uri: "/", user: "u", password: "p", cnonce: "c"))
        }
        #expect(try next()["nc"] == "00000001")
        #expect(try next()["response"] == "f1202435231f48ff4a8404e67cf5613f")
        for _ in 3...9 { _ = try next() }
        #expect(try next()["nc"] == "0000000a")
        for ignored in ["nextnonce=\"n\"", "nextnonce=\"\"", "", "rspauth=\"0\"", "nextnonce"] {
            digest.receive(authenticationInfo: ignored)
        }
        #expect(try next()["nc"] == "0000000b")
        digest.receive(authenticationInfo: "qop=auth, nextnonce=\"n2\"")
        let parameters = try next()
        #expect(parameters["nc"] == "00000001")
        #expect(parameters["nonce"] == "n2")
        #expect(parameters["response"] == "704fc790f10a2b1d29f8d315e09f2df6")
        // Answers overtake each other.
        digest.receive(authenticationInfo: "nextnonce=\"n\"")
        #expect(try next()["nc"] == "0000000c")
        digest.receive(authenticationInfo: "nextnonce=\"n2\"")
        #expect(try next()["nc"] == "00000002")
    }

    @Test("Random cnonces differ, and each has 32 characters")
    func cnonces() {
        let some = (0..<100).map { _ in DigestAuthorization.randomCnonce() }
        #expect(Set(some).count == 100)
        #expect(some.allSatisfy { $0.utf8.count == 32 })
    }
}
