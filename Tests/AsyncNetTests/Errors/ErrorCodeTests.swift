import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetLibcurl

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Every code has a real cause: each is brought about here, over sockets where the cause is on the wire.
///
/// Five are about certificates: LibcurlTrustTests, Scripts/tls-conformance and Scripts/trust-conformance bring them
/// about.
@Suite("Error codes", .timeLimit(.minutes(5)))
struct ErrorCodeTests {
    private static let byScript: Set<AsyncNetError.Code> = [
        .certificateNotTrusted, .certificateExpired, .certificateHostMismatch, .certificatePinMismatch,
        .certificateRevoked,
    ]

    @Test("Each error code is thrown for its cause, and its name ends the error's description")
    func everyCode() async throws {
        var seen: Set<AsyncNetError.Code> = Self.byScript
        for (code, provoke) in Self.causes {
            let error = await provoke()
            #expect(error?.code == code, "\(code): \(error.map { "\($0)" } ?? "no error")")
            #expect(error?.description.hasSuffix("[\(code)]") == true)
            seen.insert(code)
        }
        #expect(seen == Set(AsyncNetError.Code.allCases))
    }

    private typealias Cause = @Sendable () async -> AsyncNetError?

    private static let causes: [(AsyncNetError.Code, Cause)] = [
        (.cancelled, { await failure { await $0.cancel() } }),
        (.malformedURL, { await failure(of: "nonsense") }),
        (.unsupportedScheme, { await failure(of: "gopher://a/") }),
        (.invalidRequest, { await stubbed { $0.request("http://a/", headers: ["X": "a\nb"]).serializing(Data.self) } }),
        (
            .encodingFailed,
            {
                await stubbed {
                    $0.request("http://a/", method: .post, parameters: Double.nan, encoder: .json).serializing(
                        Data.self)
                }
            }
        ),
        (
            .adaptationFailed,
            {
                struct Refusing: RequestAdapter {
                    func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest {
                        throw CocoaError(.featureUnsupported)
                    }
                }
                let session = Session(
                    transport: StubTransport { _ in .status(200) }, configuration: .init(interceptors: [Refusing()]))
                return await session.request("http://a/").serializing(Data.self).result.failure
            }
        ),
        (.missingCredential, { await authenticated(nil) { $0 } }),
        (.refreshFailed, { await authenticated(AccessToken(1)) { _ in throw CocoaError(.featureUnsupported) } }),
        (.excessiveRefresh, { await authenticated(AccessToken(1)) { AccessToken($0.number + 1) } }),
        (
            .fileNotReadable,
            { await stubbed { $0.upload(.file(URL(filePath: "/nowhere")), to: "http://a/").serializing(Data.self) } }
        ),
        (
            .fileChanged,
            {
                let file = FileManager.default.temporaryDirectory.appending(path: "asyncnet-\(UUID())")
                defer { try? FileManager.default.removeItem(at: file) }
                guard (try? Data(count: 1000).write(to: file)) != nil, let body = try? MeasuredBody(.file(file)) else {
                    return nil
                }
                guard (try? Data(count: 999).write(to: file)) != nil else { return nil }
                do { _ = try await body.makeReader().next() } catch { return error as? AsyncNetError }
                return nil
            }
        ),
        (
            .bodyStreamFailed,
            {
                let broken = AsyncThrowingStream<Data, any Error> { $0.finish(throwing: CocoaError(.fileReadUnknown)) }
                return await stubbed { $0.upload(.stream(broken), to: "http://a/").serializing(Data.self) }
            }
        ),
        (
            .bodyLengthMismatch,
            {
                await stubbed {
                    $0.upload(.stream(AsyncStream { nil }, length: 1), to: "http://a/").serializing(Data.self)
                }
            }
        ),
        (
            .temporaryFileFailed,
            {
                let transport = URLSessionTransport(configuration: .init(temporaryFolder: URL(filePath: "/nowhere")))
                return await Session(transport: transport).upload(
                    .stream(AsyncStream { nil }), to: "http://127.0.0.1:1/"
                ).serializing(Data.self).result.failure
            }
        ),
        (.compressionUnavailable, { Zlib.load("libnowhere.so.1").failure }),
        (
            .sessionFinished,
            {
                let session = Session(transport: StubTransport { _ in .status(200) })
                await session.finish()
                return await session.request("http://a/").serializing(Data.self).result.failure
            }
        ),
        (
            .deadlineExceeded,
            {
                let limiter = RateLimiter(
                    .init(requests: 1, per: .seconds(60)), time: TimeSource(TestClock()))
                do { for _ in 0..<2 { try await limiter.acquire(origin: "a", until: .seconds(59)) } } catch {
                    return error as? AsyncNetError
                }
                return nil
            }
        ),
        (
            .circuitOpen,
            {
                let breakers = CircuitBreakers(.init(consecutiveFailures: 1), time: TimeSource(TestClock()))
                do { for _ in 0..<2 { try breakers.allow(origin: "a").record(.failure) } } catch {
                    return error as? AsyncNetError
                }
                return nil
            }
        ),
        (
            .notCached,
            {
                let session = Session(
                    transport: StubTransport { _ in .status(200) }, configuration: .init(cache: HTTPCache()))
                let request = session.request("http://a/", options: RequestOptions(cacheMode: .onlyIfCached))
                return await request.serializing(Data.self).result.failure
            }
        ),
        (.hostNotFound, { await failure(of: "http://nowhere.invalid/") }),
        (
            .cannotConnect,
            {
                guard let server = try? await MockServer.start(isRefusing: true) else { return nil }
                let error = await failure(of: server.url().absoluteString)
                await server.stop()
                return error
            }
        ),
        (.emptyReply, { await failure(from: .fault(.closeBeforeHead)) }),
        (.connectionLost, { await failure(from: .fault(.resetBeforeHead)) }),
        (.bodyEndedEarly, { await failure(from: .fault(.truncate(after: 5))) }),
        (.timedOut, { await failure(from: .fault(.stall), timeout: .milliseconds(50)) }),
        (.badServerResponse, { await failure(from: .fault(.garbage)) }),
        (
            .fileNotWritable,
            {
                let session = Session(transport: StubTransport { _ in .text("x") })
                return await session.download("http://a/", to: .file(URL(filePath: "/nowhere/x"))).result.failure
            }
        ),
        (
            .readerTooSlow,
            {
                let folder = FileManager.default.temporaryDirectory
                let pipe = TransferPipe(.asItArrives)
                let backlog = URLSessionBacklog(pipe, in: folder, limit: 3)
                for _ in 0..<3 { backlog.receive(Data(count: 300_000)) }
                do throws(AsyncNetError) { _ = try await pipe.nextBatch() } catch { return error }
                return nil
            }
        ),
        (
            .bodyAlreadyRead,
            {
                let stream = Session(transport: StubTransport { _ in .text("x") }).stream("http://a/")
                do {
                    for try await _ in stream.chunks {}
                    for try await _ in stream.chunks {}
                    return nil
                } catch { return error as? AsyncNetError }
            }
        ),
        (
            .bodyTooLarge,
            {
                let session = Session(
                    transport: StubTransport { _ in .text("four") }, configuration: .init(maximumBodySize: 3))
                return await session.request("http://a/").serializing(Data.self).result.failure
            }
        ),
        (
            .badContentEncoding,
            { await failure(from: .status(200, headers: ["Content-Encoding": "gzip"], body: "no gzip")) }
        ),
        (
            .tlsHandshakeFailed,
            {
                guard let server = try? await MockServer.start() else { return nil }
                let error = await failure(of: "https://127.0.0.1:\(server.port)/")
                await server.stop()
                return error
            }
        ),
        (
            .clientCertificateInvalid,
            {
                let identity = TLSConfiguration.ClientIdentity(
                    certificate: "-----BEGIN nothing", key: "-----BEGIN nothing")
                guard let server = try? await MockServer.start() else { return nil }
                let error = await failure(
                    of: "https://127.0.0.1:\(server.port)/", over: .libcurl(tls: .init(clientIdentity: identity)))
                await server.stop()
                return error
            }
        ),
        (
            .addressNotAllowed,
            {
                let session = Session(configuration: .init(addresses: .publicOnly))
                return await session.request("http://127.0.0.1:1/").serializing(Data.self).result.failure
            }
        ),
        (
            .proxyNotFound,
            { await failure(of: "http://127.0.0.1/", over: .libcurl(proxy: .http("nowhere.invalid", port: 1))) }
        ),
        (
            .proxyFailed,
            {
                try? await withServer(.status(403)) { (proxy: MockServer) async throws in
                    await failure(
                        of: "https://127.0.0.1:1/", over: .libcurl(proxy: .http("127.0.0.1", port: proxy.port)))
                }
            }
        ),
        (
            .invalidConfiguration,
            { await failure(of: "http://127.0.0.1/", over: .libcurl(tls: .init(pins: ["sha256//short"]))) }
        ),
        (
            .transportUnavailable,
            {
                let missing = LibcurlTransport(
                    .init(), over: .failure(AsyncNetError(.transportUnavailable, "none here")))
                return await failure(of: "http://127.0.0.1/", over: missing)
            }
        ),
        (.tooManyRedirects, { await stubbed(.redirect(to: "/")) { $0.request("http://a/").serializing(Data.self) } }),
        (.redirectFailed, { await failure(from: .redirect(to: "mailto:a@b")) }),
        (
            .pagingFailed,
            {
                let stub = StubTransport { _ in .json("1", headers: ["Link": "<>; rel=next"]) }
                do throws(AsyncNetError) {
                    for try await _ in Session(transport: stub).pages(Int.self, from: "http://a/") {}
                    return nil
                } catch { return error }
            }
        ),
        (
            .unsupportedByTransport,
            {
                await Session(transport: .urlSession).request(
                    "http://127.0.0.1/", options: RequestOptions(modifier: { $0.httpBody = Data([1]) })
                ).serializing(Data.self).result.failure
            }
        ),
        (
            .transportFailed,
            {
                struct Odd: Transport {
                    struct Failure: Error {}
                    func send(_ request: TransportRequest) async throws -> TransportResponse { throw Failure() }
                }
                return await Session(transport: Odd()).request("http://a/").serializing(Data.self).result.failure
            }
        ),
        (
            .unacceptableStatus,
            {
                let request = Session(transport: StubTransport { _ in .status(404) }).request("http://a/")
                return await request.validate().serializing(Data.self).result.failure
            }
        ),
        (
            .unacceptableContentType,
            {
                let request = Session(transport: StubTransport { _ in .text("<p>") }).request("http://a/")
                return await request.validate(contentType: ["application/json"]).serializing(Data.self).result.failure
            }
        ),
        (
            .validationFailed,
            {
                let request = Session(transport: StubTransport { _ in .status(200) }).request("http://a/")
                return await request.validate { _, _, _ in throw CocoaError(.featureUnsupported) }.serializing(
                    Data.self
                ).result.failure
            }
        ),
        (.emptyBody, { await stubbed(.status(200)) { $0.request("http://a/").serializing(JSON.self) } }),
        (
            .checksumMismatch,
            {
                await Session(transport: StubTransport { _ in .text("other") })
                    .download("http://a/", to: .temporary, checksum: .sha256(String(repeating: "00", count: 32))).result
                    .failure
            }
        ),
        (.decodingFailed, { await stubbed(.text("{")) { $0.request("http://a/").serializing(JSON.self) } }),
        (.eventTimedOut, { await eventTimeout() }),
        (
            .lineTooLong,
            {
                var parser = LineParser(limit: 3)
                do { _ = try parser.receive(Data("four".utf8)) } catch { return error as? AsyncNetError }
                return nil
            }
        ),
        (.webSocketHandshakeFailed, { webSocketHandshakeFailure() }),
        (.webSocketProtocolViolated, { webSocketFailure([0x83]) }),
        (.webSocketMessageTooLarge, { webSocketFailure([0x82, 0x05]) }),
        (
            .webSocketClosed,
            {
                var machine = WebSocketMachine(role: .client, limits: .init(frame: 4, message: 4))
                do throws(AsyncNetError) {
                    _ = try machine.encodeClose()
                    _ = try machine.encode(.text("late"))
                } catch {
                    return error
                }
                return nil
            }
        ),
    ]

    private static func webSocketHandshakeFailure() -> AsyncNetError? {
        do throws(AsyncNetError) {
            let head = HTTPResponseHead(statusCode: 200, url: URL(filePath: "/"))
            _ = try WebSocketHandshake().agreement(from: head)
        } catch {
            return error
        }
        return nil
    }

    /// The failure of a client that receives these bytes and accepts four bytes.
    private static func webSocketFailure(_ bytes: [UInt8]) -> AsyncNetError? {
        var machine = WebSocketMachine(role: .client, limits: .init(frame: 4, message: 4))
        machine.receive(Data(bytes))
        do throws(WebSocketFailure) { _ = try machine.next() } catch { return error.error }
        return nil
    }

    private static func failure(of url: String, over transport: some Transport = .automatic) async -> AsyncNetError? {
        await Session(transport: transport).request(url).serializing(Data.self).result.failure
    }

    private static func failure(from reply: MockResponse, timeout: Duration = .seconds(60)) async -> AsyncNetError? {
        let session = Session(transport: .urlSession, configuration: .init(timeout: timeout))
        return try? await withServer(reply) { await session.request($0.url()).serializing(Data.self).result.failure }
    }

    private static func failure(after change: (DataRequest) async -> Void) async -> AsyncNetError? {
        let request = Session(transport: StubTransport { _ in .status(200) }).request("http://a/")
        await change(request)
        return await request.serializing(Data.self).result.failure
    }

    private static func authenticated(
        _ token: AccessToken?, _ renew: @escaping @Sendable (AccessToken) async throws -> AccessToken
    ) async -> AsyncNetError? {
        let interceptor = AuthenticationInterceptor(authenticator: TokenAuthenticator(renew: renew), credential: token)
        let session = Session(
            transport: StubTransport { _ in .status(401) }, configuration: .init(interceptors: [interceptor]))
        return await session.request("http://a/").serializing(Data.self).result.failure
    }

    private static func eventTimeout() async -> AsyncNetError? {
        let reply = MockResponse.chunked([": ping\n"], headers: ["Content-Type": "text/event-stream"])
        let session = Session(transport: StubTransport { _ in reply.with(.stallMidBody(after: 7)) })
        do {
            for try await _ in session.stream("http://a/").serverSentEvents(firstEventTimeout: .milliseconds(1)) {}
        } catch { return error as? AsyncNetError }
        return nil
    }

    private static func stubbed<Value>(
        _ reply: MockResponse = .status(200), _ make: (Session) -> ResponseTask<Value>
    ) async -> AsyncNetError? {
        await make(Session(transport: StubTransport { _ in reply })).result.failure
    }
}
