import AsyncNet
import AsyncNetTesting
import Crypto
import Foundation
import Synchronization
import Testing

@testable import AsyncNetCrypto

@Suite("AWS Signature Version 4: signed requests", .timeLimit(.minutes(1)))
struct AWSRequestSignerTests {
    /// Signs with a fixed date.
    static func signer(_ service: String = "s3", payload: AWSRequestSigner.Payload = .signed) -> AWSRequestSigner {
        AWSRequestSigner(
            service: service, region: "us-east-1", credentials: .example(), payload: payload, now: { .example })
    }

    @Test(
        "A server finds the signature of what it received, with headers that AsyncNet adds and the form's own boundary")
    func roundTrip() async throws {
        let server = try await MockServer.start()
        await server.enqueue(.text(""), .text(""))
        let session = Session(configuration: .init(interceptors: [Self.signer()], cookieJar: CookieJar()))
        _ = try await session.request(server.url("/a%20b?q=1"), headers: ["X-Own": "1"]).serializing(Data.self).value
        let form = RequestBody.multipart { $0.append("Ada", name: "name") }
        _ = try await session.upload(form, to: server.url("/form")).serializing(Data.self).value
        for signed in ["accept-language;host;x-amz-content-sha256;x-amz-date;x-own", "content-type;"] {
            let seen = try await server.takeRequest()
            let authorization = try #require(seen.headers["Authorization"])
            #expect(authorization.contains("SignedHeaders=\(signed)") || authorization.contains(";\(signed)"))
            #expect(authorization == (try seen.signedAgain(by: .example(), .example("s3"))))
        }
        await server.stop()
    }

    @Test("Each attempt is signed with the date of its time")
    func attempts() async throws {
        let dates = Mutex(0.0)
        let signer = AWSRequestSigner(service: "sqs", region: "us-east-1", credentials: .example()) {
            Date.example.addingTimeInterval(
                dates.withLock {
                    $0 += 60
                    return $0
                })
        }
        let stub = StubTransport { _ in .fault(.resetBeforeHead) }
        let retry = RetryPolicy(limit: 1, backoff: Backoff(scale: .zero))
        _ = await Session(transport: stub, configuration: .init(interceptors: [retry, signer]))
            .request("https://sqs.us-east-1.amazonaws.com/").serializing(Data.self).response
        #expect(stub.requests.map { $0.headers["X-Amz-Date"] } == ["20150830T123700Z", "20150830T123800Z"])
        #expect(Set(stub.requests.map { $0.headers["Authorization"] }).count == 2)
    }

    @Test("The hash of every body that can be read twice is signed", arguments: Body.allCases)
    func bodies(_ body: Body) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        try Data("hello".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let stub = StubTransport { _ in .text("") }
        _ = try await Session(transport: stub, configuration: .init(interceptors: [Self.signer()]))
            .upload(body.body(file), to: "https://b.s3.amazonaws.com/k", method: .put).serializing(Data.self).value
        let seen = try #require(stub.requests.first)
        #expect(seen.text == "hello")
        #expect(seen.headers["X-Amz-Content-SHA256"] == SHA256.hash(data: Data("hello".utf8)).hexadecimal)
    }

    enum Body: CaseIterable {
        case data
        case file
        case stream

        func body(_ file: URL) -> RequestBody {
            switch self {
            case .data: .data(Data("hello".utf8))
            case .file: .file(file)
            case .stream: .stream { Chunks(["hel", "lo"]) }
            }
        }
    }

    @Test("A body that can be read once is refused; it is sent unsigned if the signer is told so")
    func oneShot() async throws {
        let stub = StubTransport { _ in .text("") }
        let url = "https://b.s3.amazonaws.com/k"
        let body = RequestBody.stream(Chunks(["hello"]), length: 5)
        let response = await Session(transport: stub, configuration: .init(interceptors: [Self.signer()]))
            .upload(body, to: url, method: .put).serializing(Data.self).response
        #expect(response.error?.code == .invalidRequest)
        #expect(stub.requests.isEmpty)
        _ = try await Session(transport: stub, configuration: .init(interceptors: [Self.signer(payload: .unsigned)]))
            .upload(body, to: url, method: .put).serializing(Data.self).value
        let seen = try #require(stub.requests.first)
        #expect(seen.text == "hello")
        #expect(seen.headers["X-Amz-Content-SHA256"] == "UNSIGNED-PAYLOAD")
        #expect(
            seen.headers["Authorization"]
                == (try seen.signedAgain(by: .example(), .example("s3"), host: "b.s3.amazonaws.com")))
    }

    @Test("A request's older signature is replaced, and another service gets no hash in a header")
    func replaced() async throws {
        let stub = StubTransport { _ in .text("") }
        _ = try await Session(
            transport: stub, configuration: .init(interceptors: [Self.signer("sqs"), Self.signer("sqs")])
        )
        .request(
            "https://sqs.us-east-1.amazonaws.com/", headers: ["Authorization": "x", "X-Amz-Security-Token": "old"]
        )
        .serializing(Data.self).value
        let seen = try #require(stub.requests.first)
        #expect(seen.headers.values(for: "Authorization").count == 1)
        #expect(seen.headers["X-Amz-Security-Token"] == nil)
        #expect(seen.headers["X-Amz-Content-SHA256"] == nil)
        #expect(
            seen.headers["Authorization"]
                == (try seen.signedAgain(by: .example(), .example("sqs"), host: "sqs.us-east-1.amazonaws.com")))
    }

    @Test("A redirect to another origin has neither signature nor token")
    func redirect() async throws {
        let stub = StubTransport { request in
            request.path == "/next" ? .text("") : .redirect(to: "https://b.example/next", status: 307)
        }
        let signer = AWSRequestSigner(
            service: "s3", region: "us-east-1", credentials: .example(token: "secret"), now: { .example })
        _ = await Session(transport: stub, configuration: .init(interceptors: [signer]))
            .request("https://a.example/").serializing(Data.self).response
        #expect(stub.requests.count == 2)
        #expect(stub.requests.map { $0.headers["Authorization"] != nil } == [true, false])
        #expect(stub.requests.map { $0.headers["X-Amz-Security-Token"] } == ["secret", nil])
    }

    @Test("Descriptions and dumps have neither the secret nor the token")
    func secrets() {
        let credentials = AWSCredentials.example(token: "t0ken")
        let signer = AWSRequestSigner(service: "s3", region: "us-east-1", credentials: credentials)
        var text = "\(credentials) \(String(reflecting: credentials)) \(signer)"
        dump(credentials, to: &text)
        dump(signer, to: &text)
        for secret in ["wJalr", "t0ken", "AKID"] { #expect(!text.contains(secret)) }
    }

    // MARK: Presigned URLs

    @Test("A presigned URL has the lifetime that is asked for; a longer one than seven days is refused")
    func lifetimes() async throws {
        let url = try "https://b.s3.amazonaws.com/k".asURL()
        let signed = try await Self.signer().presignedURL(for: url)
        #expect(signed.query?.contains("X-Amz-Expires=900&") == true)
        for seconds in [0, 604_801] {
            let error = await #expect(throws: AsyncNetError.self) {
                try await Self.signer().presignedURL(for: url, lifetime: .seconds(seconds))
            }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test("A provider's error is the cause")
    func presignedWithoutCredentials() async throws {
        struct Gone: Error {}
        let signer = AWSRequestSigner(service: "s3", region: "us-east-1") { throw Gone() }
        let url = try "https://b.s3.amazonaws.com/k".asURL()
        let error = await #expect(throws: AsyncNetError.self) { try await signer.presignedURL(for: url) }
        #expect(error?.code == .missingCredential)
        #expect(error?.underlyingError is Gone)
    }
}

extension RecordedRequest {
    /// The `Authorization` that a service computes of what it received; a stub gets no `Host`.
    func signedAgain(by credentials: AWSCredentials, _ scope: SigningScope, host: String? = nil) throws -> String? {
        let authorization = headers["Authorization"] ?? ""
        let names =
            authorization.split(separator: "SignedHeaders=").last?.prefix { $0 != "," }.split(separator: ";") ?? []
        let url = try "http://\(host ?? headers["Host"] ?? "")\(target)".asURL()
        var head = HTTPRequestHead(method: method, url: url)
        for header in headers where names.contains(where: { $0 == header.name.lowercased() }) {
            head.headers.add(header)
        }
        let hash = SHA256.hash(data: body).hexadecimal
        let isUnsigned = headers["X-Amz-Content-SHA256"] == Signing.unsignedPayload
        try Signing(credentials: credentials, scope: scope).sign(
            &head, payload: isUnsigned ? Signing.unsignedPayload : hash)
        return head.headers["Authorization"]
    }
}

/// Chunks of text.
struct Chunks: AsyncSequence, Sendable {
    let texts: [String]

    init(_ texts: [String]) { self.texts = texts }

    func makeAsyncIterator() -> Iterator { Iterator(texts: texts[...]) }

    struct Iterator: AsyncIteratorProtocol {
        var texts: ArraySlice<String>

        mutating func next() async -> Data? { texts.popFirst().map { Data($0.utf8) } }
    }
}
