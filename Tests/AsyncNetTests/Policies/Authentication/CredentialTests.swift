import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A server that accepts only Aladdin's credentials, and computes the Digest response itself.
private final class Guarded: Sendable {
    let scheme: String
    let nonces = Locked((number: 1, uses: 0))
    let maximumUses: Int

    init(_ scheme: String, maximumUses: Int = .max) { (self.scheme, self.maximumUses) = (scheme, maximumUses) }

    func reply(to request: RecordedRequest) -> MockResponse {
        let given = request.headers["Authorization"]
        if scheme == "Basic" {
            return given == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
                ? .text("in") : .status(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""])
        }
        let (nonce, isStale) = nonces.withLock { nonces in
            guard given?.contains("nonce=\"n\(nonces.number)\"") == true else {
                return ("n\(nonces.number)", given != nil)
            }
            nonces.uses += 1
            guard nonces.uses > maximumUses else { return ("n\(nonces.number)", false) }
            nonces = (nonces.number + 1, 0)
            return ("n\(nonces.number)", true)
        }
        if !isStale, let given, isRight(given, request) { return .text("in") }
        let stale = isStale ? ", stale=true" : ""
        return .status(
            401,
            headers: [
                .init(name: "WWW-Authenticate", value: "Basic realm=\"r\""),
                .init(
                    name: "WWW-Authenticate",
                    value: "Digest realm=\"r\", qop=\"auth\", algorithm=SHA-256, nonce=\"\(nonce)\"\(stale)"),
            ])
    }

    private func isRight(_ given: String, _ request: RecordedRequest) -> Bool {
        let fields = AuthenticationChallenge.challenges(in: [given]).first?.parameters ?? [:]
        func hash(_ text: String) -> String { MessageDigest.of(text, algorithm: .sha256).hexadecimal }
        let first = hash("Aladdin:r:open sesame")
        let second = hash("\(request.method.rawValue):\(request.target)")
        let parts = [first, fields["nonce"] ?? "", fields["nc"] ?? "", fields["cnonce"] ?? "", "auth", second]
        return fields["response"] == hash(parts.joined(separator: ":")) && fields["uri"] == request.target
    }
}

/// Replaces the URL of each request by the result of a closure.
private struct AdapterOfURLs: RequestAdapter {
    let url: @Sendable (URL?) -> String

    func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest {
        var request = request
        request.url = URL(string: url(request.url))
        return request
    }
}

@Suite("Credentials for challenges", .timeLimit(.minutes(5)))
struct CredentialTests {
    private func stub(_ guarded: Guarded) -> StubTransport { StubTransport { guarded.reply(to: $0) } }

    @Test(
        "A challenge is answered with credentials, and later requests send them without a challenge",
        arguments: ["Basic", "Digest"])
    func answered(_ scheme: String) async throws {
        let stub = stub(Guarded(scheme))
        let session = Session(transport: stub)
        for _ in 0..<3 {
            let request = session.request("http://a/dir/file?q=1")
            #expect(
                try await request.authenticate(username: "Aladdin", password: "open sesame").serializing(String.self)
                    .value == "in")
        }
        #expect(stub.requests.map { $0.headers["Authorization"]?.hasPrefix(scheme) } == [nil, true, true, true])
        let counts = stub.requests.compactMap { $0.headers["Authorization"] }.map {
            $0.firstRange(of: "nc=00000003") != nil
        }
        #expect(scheme == "Basic" || counts == [false, false, true])
    }

    @Test("A URL's userinfo is sent as credentials after a challenge, and never in the URL")
    func userinfo() async throws {
        let stub = stub(Guarded("Basic"))
        let response = await Session(transport: stub).request("http://Aladdin:open%20sesame@a/x").serializing(
            String.self
        ).response
        #expect(response.value == "in")
        #expect(response.request?.url?.absoluteString == "http://a/x")
        #expect(stub.requests.first?.headers["Authorization"] == nil)
    }

    @Test("A 401 to a wrong password is delivered after one try", arguments: ["Basic", "Digest"])
    func wrong(_ scheme: String) async throws {
        let stub = stub(Guarded(scheme))
        let session = Session(transport: stub)
        for count in [2, 4] {
            let response = await session.request("http://a/").authenticate(username: "Aladdin", password: "closed")
                .serializing(Data.self).response
            #expect(response.statusCode == 401)
            #expect(stub.requests.count <= count)
        }
        let right = session.request("http://a/")
        #expect(
            try await right.authenticate(username: "Aladdin", password: "open sesame").serializing(String.self).value
                == "in")
    }

    @Test("A URLCredential with user and password becomes a PasswordCredential")
    func foundation() {
        let full = URLCredential(user: "Ada", password: "p", persistence: .none)
        #expect(PasswordCredential(full) == PasswordCredential(username: "Ada", password: "p"))
    }

    @Test("A stale nonce is replaced, and the request succeeds")
    func stale() async throws {
        let stub = stub(Guarded("Digest", maximumUses: 1))
        let session = Session(transport: stub)
        for _ in 0..<4 {
            #expect(
                try await session.request("http://a/").authenticate(username: "Aladdin", password: "open sesame")
                    .serializing(String.self).value == "in")
        }
        #expect(stub.requests.count == 8)
    }

    @Test("Concurrent requests with one nonce send each nonce count once")
    func sharedNonce() async throws {
        let (asked, gate) = (Counter(), Gate())
        let stub = StubTransport { request in
            guard request.headers["Authorization"] == nil else { return .text("in") }
            asked.add()
            await gate.wait()
            return .status(401, headers: ["WWW-Authenticate": "Digest realm=r, qop=auth, nonce=same"])
        }
        let session = Session(transport: stub)
        await withTaskGroup { group in
            for _ in 0..<20 {
                group.addTask {
                    _ = await session.request("http://a/").authenticate(username: "u", password: "p").serializing(
                        Data.self
                    ).result
                }
            }
            await asked.reaches(20)
            gate.open()
        }
        let counts = stub.requests.compactMap {
            AuthenticationChallenge.challenges(in: $0.headers.values(for: "Authorization")).first?.parameters["nc"]
        }
        #expect(counts.sorted() == (1...20).map { DigestAuthorization.eightDigits($0) })
    }

    @Test("After a rejection credentials are sent only in response to a challenge, and the nonce count continues")
    func refusedAnswer() async throws {
        let stub = StubTransport { _ in
            .status(401, headers: ["WWW-Authenticate": "Digest realm=r, qop=auth, nonce=same"])
        }
        let session = Session(transport: stub)
        for _ in 0..<3 {
            #expect(
                await session.request("http://a/").authenticate(username: "u", password: "p").serializing(Data.self)
                    .response.statusCode == 401)
        }
        #expect(
            stub.requests.map { $0.headers.contains(name: "Authorization") } == [false, true, false, true, false, true])
        let counts = stub.requests.compactMap {
            AuthenticationChallenge.challenges(in: $0.headers.values(for: "Authorization")).first?.parameters["nc"]
        }
        #expect(counts == ["00000001", "00000002", "00000003"])
    }

    @Test(
        "A one-time body is sent with credentials if an earlier request got the challenge",
        arguments: ["Basic", "Digest"])
    func oneTimeBodies(_ scheme: String) async throws {
        let session = Session(transport: stub(Guarded(scheme)))
        func upload() async -> Int? {
            let upload = session.upload(.stream(chunks("a"), length: nil), to: "http://a/")
            return await upload.authenticate(username: "Aladdin", password: "open sesame").serializing(Data.self)
                .response.statusCode
        }
        #expect(await upload() == 401)
        #expect(await upload() == 200)
        #expect(await upload() == 200)
    }

    @Test(
        "An adapter's URL of another origin is authenticated only with its own userinfo, hedged or not",
        arguments: [true, false])
    func adapters(isHedged: Bool) async throws {
        let stub = StubTransport { _ in .status(401, headers: ["WWW-Authenticate": "Basic realm=r"]) }
        let elsewhere = AdapterOfURLs { _ in "http://x:y@b/" }
        let session = Session(
            transport: stub,
            configuration: .init(
                interceptors: isHedged ? [elsewhere, HedgingPolicy(after: .fixed(.seconds(60)))] : [elsewhere]))
        let response = await session.request("http://a/").authenticate(username: "u", password: "p").serializing(
            Data.self
        ).response
        #expect(response.statusCode == 401)
        #expect(stub.requests.map { $0.headers["Authorization"] } == [nil, "Basic eDp5"])
        #expect(
            response.request?.url?.absoluteString == "http://b/" && response.head?.url.absoluteString == "http://b/")
    }

    @Test(
        "Userinfo of an adapter's URL is sent only in response to a challenge, over each transport",
        arguments: TransportUnderTest.allCases)
    func adaptersUserinfo(_ transport: TransportUnderTest) async throws {
        let server = try await MockServer.start()
        let seen = Locked<[String?]>([])
        await server.route("/*") { request in
            seen.withLock { $0.append(request.headers["Authorization"]) }
            return .status(401, headers: ["WWW-Authenticate": "Basic realm=r"])
        }
        let port = server.url("/").port ?? 0
        let session = transport.session(.init(interceptors: [AdapterOfURLs { _ in "http://x:y@127.0.0.1:\(port)/" }]))
        #expect(await session.request("http://127.0.0.1/").serializing(Data.self).response.statusCode == 401)
        #expect(seen.withLock { $0 } == [nil, "Basic eDp5"])
        await server.stop()
    }

    @Test("A credential is not sent without a challenge, to another origin, or beside the caller's Authorization")
    func silent() async throws {
        let open = StubTransport { _ in .text("in") }
        _ = try await Session(transport: open).request("http://a/").authenticate(username: "u", password: "p")
            .serializing(Data.self).value
        #expect(open.requests.allSatisfy { $0.headers["Authorization"] == nil })
        let other = StubTransport {
            $0.path == "/1" ? .redirect(to: "http://b/2") : .status(401, headers: ["WWW-Authenticate": "Basic realm=r"])
        }
        _ = await Session(transport: other).request("http://a/1").authenticate(username: "u", password: "p")
            .serializing(Data.self).result
        #expect(other.requests.count == 2 && other.requests.allSatisfy { $0.headers["Authorization"] == nil })
        let own = stub(Guarded("Basic"))
        let request = Session(transport: own).request("http://a/", headers: [.authorization(bearerToken: "t")])
        _ = await request.authenticate(username: "Aladdin", password: "open sesame").serializing(Data.self).result
        #expect(own.requests.map { $0.headers["Authorization"] } == ["Bearer t"])
    }

    @Test("A body is sent again with the credentials; with a one-time body the 401 is delivered")
    func bodies() async throws {
        let stub = stub(Guarded("Digest"))
        let session = Session(transport: stub)
        let upload = session.upload(.data(Data("abc".utf8)), to: "http://a/")
        #expect(
            try await upload.authenticate(username: "Aladdin", password: "open sesame").serializing(String.self).value
                == "in")
        #expect(stub.requests.map(\.body) == [Data("abc".utf8), Data("abc".utf8)])
        let once = session.upload(.stream(chunks("a"), length: nil), to: "http://b/")
        #expect(
            await once.authenticate(username: "Aladdin", password: "open sesame").serializing(String.self).response
                .statusCode == 401)
    }

    @Test(
        "After a challenge, a stream or download is sent again with credentials over each transport",
        arguments: TransportUnderTest.allCases)
    func kinds(_ transport: TransportUnderTest) async throws {
        let guarded = Guarded("Digest")
        let server = try await MockServer.start()
        await server.route("/*") { guarded.reply(to: $0) }
        let session = transport.session()
        var text = Data()
        for try await chunk in session.stream(server.url("/s")).authenticate(
            username: "Aladdin", password: "open sesame"
        ).chunks { text += chunk }
        #expect(text == Data("in".utf8))
        let file = try await session.download(server.url("/d"), to: .temporary).authenticate(
            username: "Aladdin", password: "open sesame"
        ).value
        #expect(try Data(contentsOf: file) == Data("in".utf8))
        try FileManager.default.removeItem(at: file)
        await server.stop()
    }
}
