import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The task-local values that code of the user's sees, as ConcurrencyGuarantees lists them.
@Suite("Task-local values", .timeLimit(.minutes(5)))
struct TaskLocalTests {
    private enum Local {
        @TaskLocal static var value = "none"
        @TaskLocal static var token: DropToken?
    }

    /// What each place has seen.
    private final class Seen: Sendable {
        private let values = Locked<[String: Set<String>]>([:])

        func note(_ place: String) {
            let value = Local.value
            values.withLock { _ = $0[place, default: []].insert(value) }
        }

        subscript(place: String) -> Set<String> { values.withLock { $0[place] ?? [] } }
        var places: [String] { values.withLock { $0.keys.sorted() } }
    }

    private struct Noting: ParameterEncoder, ResponseSerializer, DataPreprocessor, DataDecoder, RequestTracer {
        let seen: Seen

        func encode(_ parameters: some Encodable & Sendable, into request: URLRequest) throws -> URLRequest {
            seen.note("encoder")
            return request
        }

        func serialize(_ response: RawResponse) async throws -> String {
            seen.note("serializer")
            return ""
        }

        func preprocess(_ data: Data) throws -> Data {
            seen.note("preprocessor")
            return data
        }

        func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
            seen.note("decoder")
            return try JSONDecoder().decode(type, from: data)
        }

        func startSpan(_ span: TraceSpan) -> TraceContext {
            seen.note("tracer")
            return span.context
        }

        func endSpan(_ span: TraceSpan) { seen.note("tracer") }
    }

    private struct Monitor: EventMonitor {
        let seen: Seen
        func receive(_ event: SessionEvent) { seen.note("monitor") }
    }

    private struct Renewing: Authenticator {
        let seen: Seen
        func apply(_ credential: AccessToken, to request: inout URLRequest) {
            seen.note("authenticator")
            request.setValue(credential.header, forHTTPHeaderField: "Authorization")
        }
        func refresh(_ credential: AccessToken) async throws -> AccessToken {
            seen.note("refresh")
            return AccessToken(2)
        }
    }

    private func makeSession(_ seen: Seen, isImmediate: Bool) -> Session {
        let stub = StubTransport { request in
            guard request.carries(AccessToken(2)) else { return .status(401) }
            if request.path == "/moved" { return .redirect(to: "http://a/there") }
            return .text("[1]", headers: ["Content-Type": "application/json"])
        }
        let policies: [any RequestPolicy] = [
            Adapter { request, _ in
                seen.note("adapter")
                return request
            },
            Retrier { _, _ in
                seen.note("retrier")
                return .doNotRetry
            },
            AuthenticationInterceptor(authenticator: Renewing(seen: seen), credential: AccessToken(1)),
            TracePropagation(tracer: Noting(seen: seen)),
        ]
        let redirects = RedirectHandler.modify { next, _ in
            seen.note("redirect closure")
            return next
        }
        return Session(
            transport: stub,
            configuration: .init(
                interceptors: policies, monitors: [Monitor(seen: seen)], redirects: redirects,
                startsRequestsImmediately: isImmediate))
    }

    @Test(
        "User code sees the task-local values of the caller's task, and a monitor sees none",
        arguments: [true, false])
    func requests(_ isImmediate: Bool) async throws {
        let seen = Seen()
        // The values of whoever makes the session are nobody's.
        let session = Local.$value.withValue("session") { makeSession(seen, isImmediate: isImmediate) }
        try await Local.$value.withValue("caller") { try await send(session, seen) }
        await session.monitorsReceivedEvents()
        let places = [
            "adapter", "authenticator", "decoder", "destination", "encoder", "modifier", "monitor", "page rule",
            "preprocessor", "redirect closure", "refresh", "retrier", "serializer", "tracer", "validator",
        ]
        #expect(seen.places == places)
        for place in places { #expect(seen[place] == [place == "monitor" ? "none" : "caller"], "\(place)") }
    }

    private func send(_ session: Session, _ seen: Seen) async throws {
        let noting = Noting(seen: seen)
        let options = RequestOptions { _ in seen.note("modifier") }
        let request = session.request(
            "http://a/moved", method: .post, parameters: ["a": 1], encoder: noting, options: options)
        request.validate { _, _, _ in seen.note("validator") }
        _ = try await request.serializing(using: noting).value
        _ = try await request.serializing([Int].self, decoder: noting).value
        _ = try await request.serializing(Data.self, preprocessor: noting).value
        let place = DownloadDestination.choosing { _ in
            seen.note("destination")
            return FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        }
        try FileManager.default.removeItem(at: try await session.download("http://a/", to: place).value)
        let next = NextPage<[Int]>.url { _, _ in
            seen.note("page rule")
            return nil
        }
        for try await _ in session.pages([Int].self, from: "http://a/", next: next) {}
    }

    /// Two chunks, which are read in the request's task.
    private struct Chunks: AsyncSequence, Sendable {
        typealias Element = Data
        let seen: Seen

        struct AsyncIterator: AsyncIteratorProtocol {
            let seen: Seen
            var rest = 2

            mutating func next() async throws -> Data? {
                seen.note("chunk")
                await Task.yield()
                rest -= 1
                return rest < 0 ? nil : Data("abc".utf8)
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(seen: seen) }
    }

    private enum BodyKind: CaseIterable { case once, repeatable, form, compressed }

    private func body(_ kind: BodyKind, _ seen: Seen) throws -> RequestBody {
        let repeatable = RequestBody.stream(length: nil) {
            seen.note("closure")
            return Chunks(seen: seen)
        }
        return switch kind {
        case .once: .stream(Chunks(seen: seen))
        case .repeatable: repeatable
        case .form: .multipart { $0.append(repeatable, name: "a") }
        case .compressed: repeatable
        }
    }

    @Test(
        "A body's sequence sees the task-local values of the request's task, also when a retry reads it again",
        arguments: [true, false], BodyKind.allCases)
    private func bodies(_ isLibcurl: Bool, _ kind: BodyKind) async throws {
        let isRepeated = kind != .once
        try await withServer(.status(isRepeated ? 503 : 200), .text("ok")) { server in
            let seen = Seen()
            let retry = RetryPolicy(
                limit: 1, backoff: Backoff(scale: .zero, maximum: .zero, jitter: .none), methods: [.post])
            let policies: [any RequestPolicy] = kind == .compressed ? [retry, RequestCompressor(.gzip)] : [retry]
            let configuration = SessionConfiguration(interceptors: policies)
            let session =
                isLibcurl
                ? Session(transport: .libcurl(), configuration: configuration)
                : Session(transport: .urlSession, configuration: configuration)
            let body = try body(kind, seen)
            try await Local.$value.withValue("caller") {
                _ = try await session.upload(body, to: server.url("/")).serializing(Data.self).value
            }
            #expect(server.requests.count == (isRepeated ? 2 : 1))
            #expect(seen["chunk"] == ["caller"])
            #expect(seen["closure"] == (isRepeated ? ["caller"] : []))
            await session.finish()
        }
    }

    // MARK: Lifetime

    @Test(
        "A task-local value of a request is released when the request has ended, while its session is in use",
        arguments: [true, false], [true, false])
    func lifetime(_ isLibcurl: Bool, _ isImmediate: Bool) async throws {
        try await withServer(.text("ok"), .text("ok")) { server in
            let (ofSession, ofRequest) = (Gate(), Gate())
            let configuration = SessionConfiguration(
                interceptors: [RetryPolicy()], deadline: .seconds(600), startsRequestsImmediately: isImmediate)
            func makeSession() -> Session {
                Local.$token.withValue(DropToken(ofSession)) {
                    isLibcurl
                        ? Session(transport: .libcurl(), configuration: configuration)
                        : Session(transport: .urlSession, configuration: configuration)
                }
            }
            func send(_ session: Session) async throws {
                let body = RequestBody.stream(Chunks(seen: Seen()))
                try await Local.$token.withValue(DropToken(ofRequest)) {
                    _ = try await session.upload(body, to: server.url("/")).serializing(Data.self).value
                }
            }
            let session = makeSession()
            try await send(session)
            await ofRequest.wait()
            await ofSession.wait()
            _ = try await session.request(server.url("/")).serializing(Data.self).value
            await session.finish()
        }
    }
}
