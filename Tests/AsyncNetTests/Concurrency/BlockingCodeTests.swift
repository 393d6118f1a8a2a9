import AsyncNetLibcurl
import AsyncNetTesting
import Dispatch
import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Code of a user's that blocks its thread until the test lets it go.
private final class Blockade: Sendable {
    let timeouts = Counter()
    private let semaphore = DispatchSemaphore(value: 0)
    private let (entries, entry) = AsyncStream.makeStream(of: Void.self)

    /// Waits, but not so long that a run without the fix never ends.
    func block() {
        entry.yield()
        if semaphore.wait(timeout: .now() + 100) == .timedOut { timeouts.add() }
    }

    /// Waits until so many are in it, once.
    func entered(_ count: Int) async {
        var entries = entries.makeAsyncIterator()
        for _ in 0..<count { await entries.next() }
    }

    func open(_ count: Int) { for _ in 0..<count { semaphore.signal() } }
}

@Suite("User code that blocks its thread", .timeLimit(.minutes(5)))
struct BlockingCodeTests {
    /// More than Swift has threads for.
    private static let count = max(6, 2 * ProcessInfo.processInfo.activeProcessorCount)

    enum Place: String, CaseIterable {
        case serializer, closureSerializer, preprocessor, decoder, largeBody, validator, adapter,
            retrier, redirect, modifier, encoder
        case streamValidator, streamDecoder, downloadPlace, authenticator, refresh, compression
    }

    private static func reply(_ request: RecordedRequest) -> MockResponse {
        switch request.path {
        case "/redirect": .redirect(to: "/")
        case "/503": .status(503)
        case "/401" where request.headers["Authorization"] != "1": .status(401)
        case "/large": .json("[\"" + String(repeating: "x", count: 70_000) + "\"]")
        default: .json("[\"a\"]")
        }
    }

    @Test(
        "User code that blocks in more requests than there are threads delays no other request",
        arguments: Place.allCases)
    func places(_ place: Place) async throws {
        let session = Session(transport: StubTransport { Self.reply($0) })
        try await check(place, session, "http://a/", count: Self.count)
    }

    @Test(
        "User code that blocks delays no other request of the same event loop", arguments: Place.allCases,
        [true, false])
    func placesOnLoop(_ place: Place, isLibcurl: Bool) async throws {
        let server = try await MockServer.start()
        for path in ["/", "/redirect", "/503", "/401", "/large"] { await server.route(path) { Self.reply($0) } }
        // One is enough for the only loop; Dispatch has threads for some hundred in all tests together.
        let session =
            isLibcurl
            ? Session(transport: .libcurl(.init(eventLoops: 1))) : Session(transport: .sockets(.init(eventLoops: 1)))
        try await check(place, session, server.url("/").absoluteString, count: 1)
        await server.stop()
    }

    private func check(_ place: Place, _ session: Session, _ url: String, count: Int) async throws {
        let (folder, blockade) = (try TemporaryFolder(), Blockade())
        let blocked = (0..<count).map { number in
            Task { await Self.outcome(place, session, url, blockade, folder.url.appending(path: "\(number)")) }
        }
        await blockade.entered(count)
        #expect(try await session.request(url).validate().serializing([String].self).value == ["a"])
        blockade.open(count)
        for task in blocked { #expect(await task.value) }
        #expect(blockade.timeouts.value == 0)
        await session.finish()
    }

    /// Whether a request with such code in this place ends as it should.
    private static func outcome(
        _ place: Place, _ session: Session, _ url: String, _ blockade: Blockade, _ file: URL
    ) async -> Bool {
        let get = session.request(url)
        switch place {
        case .serializer: return await get.serializing(using: BlockingSerializer(blockade: blockade)).result.isSuccess
        case .closureSerializer: return await get.serializing { _ in blockade.block() }.result.isSuccess
        case .preprocessor:
            return await get.serializing(Data.self, preprocessor: BlockingPreprocessor(blockade: blockade)).result
                .isSuccess
        case .decoder:
            return await get.serializing([String].self, decoder: BlockingDecoder(blockade: blockade)).result.isSuccess
        case .largeBody:
            return await Blockade.$current.withValue(blockade) {
                await session.request(url + "large").serializing(BlockingValue.self).result.isSuccess
            }
        case .validator:
            return await get.validate { _, _, _ in blockade.block() }.serializing(Data.self).result.isSuccess
        case .adapter:
            return await get.interceptor(
                Interceptor([
                    Adapter { request, _ in
                        blockade.block()
                        return request
                    }
                ])
            ).serializing(Data.self).result.isSuccess
        case .retrier:
            let refused = session.request(url + "503").interceptor(
                Retrier { _, _ in
                    blockade.block()
                    return .doNotRetry
                })
            return await refused.serializing(Data.self).result.isSuccess
        case .redirect:
            let redirected = session.request(url + "redirect").redirects(
                .modify { request, _ in
                    blockade.block()
                    return request
                })
            return await redirected.serializing(Data.self).result.isSuccess
        case .modifier:
            return await session.request(url, options: RequestOptions(modifier: { _ in blockade.block() })).serializing(
                Data.self
            ).result
                .isSuccess
        case .encoder:
            return await session.request(url, parameters: ["a": 1], encoder: BlockingEncoder(blockade: blockade))
                .serializing(Data.self).result.isSuccess
        default: return await otherOutcome(place, session, url, blockade, file)
        }
    }

    private static func otherOutcome(
        _ place: Place, _ session: Session, _ url: String, _ blockade: Blockade, _ file: URL
    ) async -> Bool {
        switch place {
        case .streamValidator:
            let stream = session.stream(url).validate { _, _, _ in blockade.block() }
            return (try? await stream.head) != nil
        case .streamDecoder:
            let stream = session.stream(url).decoding([String].self, decoder: BlockingDecoder(blockade: blockade))
            do { return try await stream.reduce(0) { count, _ in count + 1 } == 1 } catch { return false }
        case .downloadPlace:
            let download = session.download(
                url,
                to: .choosing { _ in
                    blockade.block()
                    return file
                })
            return await download.result.isSuccess
        case .authenticator, .refresh:
            // A refresh of its own for each, since one is made for all that share an interceptor.
            let authenticator = BlockingAuthenticator(blockade: blockade, blocksRefresh: place == .refresh)
            let interceptor = AuthenticationInterceptor(
                authenticator: authenticator, credential: Number(place == .refresh ? 0 : 1))
            return await session.request(url + "401").interceptor(interceptor).validate().serializing(Data.self).result
                .isSuccess
        default:
            let upload = session.upload(.data(Data(count: 10)), to: url).interceptor(
                RequestCompressor { _ in
                    blockade.block()
                    return false
                })
            return await upload.serializing(Data.self).result.isSuccess
        }
    }

    // MARK: Cancelling

    enum Wait: String, CaseIterable { case value, result, response, decoder, largeBody, stream }

    @Test(
        "A task that is cancelled while it waits for blocking user code gets .cancelled before that code returns",
        arguments: Wait.allCases)
    func cancelling(_ wait: Wait) async throws {
        let (blockade, isCancelled) = (Blockade(), Gate())
        let session = Session(transport: StubTransport { Self.reply($0) })
        let request = session.request("http://a/large")
        let waiting = Task { () -> AsyncNetError.Code? in
            let blocking = request.serializing { _ in
                blockade.block()
                if Task.isCancelled { isCancelled.open() }
            }
            switch wait {
            case .value:
                do { try await blocking.value } catch { return (error as? AsyncNetError)?.code }
                return nil
            case .result: return await blocking.result.failure?.code
            case .response: return await blocking.response.error?.code
            case .decoder:
                return await request.serializing([String].self, decoder: BlockingDecoder(blockade: blockade)).result
                    .failure?.code
            case .largeBody:
                return await Blockade.$current.withValue(blockade) {
                    await request.serializing(BlockingValue.self).result.failure?.code
                }
            case .stream:
                let stream = session.stream("http://a/").decoding(
                    [String].self, decoder: BlockingDecoder(blockade: blockade))
                do { for try await _ in stream {} } catch { return (error as? AsyncNetError)?.code }
                return nil
            }
        }
        await blockade.entered(1)
        waiting.cancel()
        #expect(await waiting.value == .cancelled)
        #expect(blockade.timeouts.value == 0)
        blockade.open(1)
        if [.value, .result, .response].contains(wait) { await isCancelled.wait() }
        // The transfer is over, and others may still serialize it.
        if wait != .stream { #expect(try await request.serializing([String].self).value.count == 1) }
    }

    enum Sending: String, CaseIterable { case parameters, transport }

    /// One after the other: each blocks one of Swift's threads, of which a machine may have two.
    @Test(
        "A request is cancelled at once while its parameters are encoded, or while a transport begins to send it",
        .serialized, arguments: Sending.allCases)
    func cancellingSending(_ code: Sending) async {
        let blockade = Blockade()
        let session = Session(
            transport: StubTransport { request in
                if code == .transport { blockade.block() }
                return Self.reply(request)
            })
        let parameters = LongParameters(blockade: code == .parameters ? blockade : nil)
        let request = session.request("http://a/", method: .post, parameters: parameters)
        let waiting = Task { await request.serializing(Data.self).result.failure?.code }
        await blockade.entered(1)
        waiting.cancel()
        #expect(await waiting.value == .cancelled)
        #expect(blockade.timeouts.value == 0)
        blockade.open(1)
        await session.finish()
    }

    @Test("Two child tasks of a serializer, one of which blocks until the other has run, both complete")
    func parallel() async throws {
        let (blockade, session) = (Blockade(), Session(transport: StubTransport { Self.reply($0) }))
        let both = session.request("http://a/").serializing { _ in
            async let one: Void = blockade.block()
            async let other: Void = blockade.open(1)
            _ = await (one, other)
        }
        #expect(await both.result.isSuccess)
        #expect(blockade.timeouts.value == 0)
    }

    @Test("A serializer's closure sees the task-local values of the task that awaits its value")
    func taskLocals() async throws {
        let (blockade, session) = (Blockade(), Session(transport: StubTransport { Self.reply($0) }))
        let isSame = await Blockade.$current.withValue(blockade) {
            await session.request("http://a/").serializing { _ in Blockade.current === blockade }.result
        }
        #expect(try isSame.get())
    }

    @Test(
        "A serializer of this library runs in the waiting task, unless it has to parse a large body",
        arguments: [
            (DataSerializer().place, 1 << 20, true), (EmptySerializer().place, 1 << 20, true),
            (StringSerializer().place, 65_535, true),
            (StringSerializer().place, 65_536, false), (DecodableSerializer<Int>().place, 100, true),
            (DecodableSerializer<Int>().place, 100_000, false),
            (DecodableSerializer<Int>(decoder: JSONDecoder()).place, 100, true),
            (JSONSerializer(preprocessor: .googleXSSI).place, 100, true),
            (JSONSerializer().place, 100_000, false), (PropertyListSerializer().place, 100, true),
            (DataSerializer(preprocessor: .googleXSSI).place, 100_000, false),
        ] as [(SerializerPlace, Int, Bool)])
    func ownPlaces(_ place: SerializerPlace, _ size: Int, _ isHere: Bool) {
        #expect(place.isHere(Data(count: size)) == isHere)
    }

    @Test("RetryPolicy, ConnectionLostRetryPolicy and RequestCompressor are NonBlocking, and OfflineRetrier is not")
    func ownPolicies() {
        let own: [any RequestPolicy] = [
            RetryPolicy(), ConnectionLostRetryPolicy(), RequestCompressor { _ in true },
        ]
        #expect(own.allSatisfy { $0 is any NonBlocking })
        let blocking: [any RequestPolicy] = [
            OfflineRetrier(), Adapter { request, _ in request }, Retrier { _, _ in .retry },
        ]
        #expect(!blocking.contains { $0 is any NonBlocking })
    }
}

extension Blockade {
    /// For types that are decoded, which have nothing else to find it by.
    @TaskLocal fileprivate static var current: Blockade?
}

private struct BlockingSerializer: ResponseSerializer {
    let blockade: Blockade
    func serialize(_ response: RawResponse) async throws { blockade.block() }
}

private struct BlockingPreprocessor: DataPreprocessor {
    let blockade: Blockade
    func preprocess(_ data: Data) throws -> Data {
        blockade.block()
        return data
    }
}

private struct BlockingDecoder: DataDecoder {
    let blockade: Blockade
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        blockade.block()
        return try StandardJSONDecoder().decode(type, from: data)
    }
}

private struct BlockingValue: Decodable, Sendable {
    init(from decoder: any Decoder) throws { Blockade.current?.block() }
}

private struct BlockingEncoder: ParameterEncoder {
    let blockade: Blockade
    func encode(_ parameters: some Encodable & Sendable, into request: URLRequest) throws -> URLRequest {
        blockade.block()
        return request
    }
}

private struct LongParameters: Encodable, Sendable {
    let blockade: Blockade?
    func encode(to encoder: any Encoder) throws {
        blockade?.block()
        try ["name": "value"].encode(to: encoder)
    }
}

private struct Number: RefreshableCredential {
    let number: Int
    init(_ number: Int) { self.number = number }
}

private struct BlockingAuthenticator: Authenticator {
    let blockade: Blockade
    let blocksRefresh: Bool

    func apply(_ credential: Number, to request: inout URLRequest) {
        if !blocksRefresh { blockade.block() }
        request.setValue("\(credential.number)", forHTTPHeaderField: "Authorization")
    }

    func refresh(_ credential: Number) async throws -> Number {
        if blocksRefresh { blockade.block() }
        return Number(1)
    }
}

extension Result {
    fileprivate var isSuccess: Bool { (try? get()) != nil }
}
