import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors

@Suite("Propagation of traces", .timeLimit(.minutes(5)))
struct TracePropagationTests {
    private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    private static var context: TraceContext {
        get throws {
            var context = try #require(TraceContext(traceparent: parent, tracestate: "rojo=1,congo=2"))
            context.baggage = "user=a%20b"
            return context
        }
    }

    /// The context that each request to the stub had, in the order of the requests.
    private func contexts(_ stub: StubTransport) -> [TraceContext?] { stub.requests.map { TraceContext($0.headers) } }

    private func session(
        _ stub: StubTransport, _ propagation: TracePropagation = TracePropagation(), _ others: [any RequestPolicy] = []
    ) -> Session {
        Session(transport: stub, configuration: .init(interceptors: others + [propagation]))
    }

    // MARK: Which context

    @Test("The current TraceContext is sent with its tracestate and baggage, but another parent identifier")
    func current() async throws {
        let (stub, context) = (StubTransport { _ in .text("") }, try Self.context)
        let session = session(stub)
        for _ in 0..<2 {
            _ = await TraceContext.$current.withValue(context) {
                await session.request("http://a/").serializing(Data.self).result
            }
        }
        let sent = contexts(stub).compactMap(\.self)
        #expect(sent.count == 2 && sent[0].spanID != sent[1].spanID)
        for var received in sent {
            #expect(received.spanID != context.spanID)
            received.spanID = context.spanID
            #expect(received == context)
        }
        #expect(stub.requests.first?.headers["baggage"] == "user=a%20b")
    }

    @Test("Without a current TraceContext a request begins a trace as newTraces says", arguments: ["-03", "-02", nil])
    func newTrace(_ flags: String?) async throws {
        let stub = StubTransport { _ in .text("") }
        let option: TracePropagation.NewTraces = flags == nil ? .never : flags == "-03" ? .sampled : .unsampled
        let recorder = SpanRecorder()
        let session = session(stub, TracePropagation(tracer: recorder, newTraces: option))
        for _ in 0..<2 { _ = await session.request("http://a/").serializing(Data.self).result }
        let parents = stub.requests.map { $0.headers["traceparent"] }
        #expect(parents.allSatisfy { flags == nil ? $0 == nil : $0?.hasSuffix(flags ?? "") == true })
        #expect(Set(contexts(stub).compactMap { $0?.traceID }).count == (flags == nil ? 0 : 2))
        #expect(recorder.spans.count == (flags == nil ? 0 : 2) && recorder.spans.allSatisfy { $0.parent == nil })
        #expect(TracePropagation().newTrace()?.isSampled == true)
    }

    /// Ways to start a request in the task that has the context.
    enum Start: CaseIterable {
        case value, response, resume, task, immediately, stream, download, retry, hedge, coalesce
    }

    @Test(
        "The TraceContext of the task that starts a request is sent, whichever function starts the request",
        arguments: Start.allCases)
    func starts(_ start: Start) async throws {
        let (stub, context) = (StubTransport { _ in .text("abc") }, try Self.context)
        var configuration = SessionConfiguration(interceptors: [TracePropagation()])
        configuration.startsRequestsImmediately = start == .immediately
        configuration.coalescesRequests = start == .coalesce
        if start == .retry { configuration.interceptors.append(RetryPolicy(attemptTimeout: .seconds(60))) }
        if start == .hedge { configuration.interceptors.append(HedgingPolicy(after: .fixed(.seconds(60)))) }
        let session = Session(transport: stub, configuration: configuration)
        let request = session.request("http://a/x")
        let run: @Sendable () async throws -> Void = {
            switch start {
            case .value, .retry, .hedge, .coalesce: _ = try await request.serializing(String.self).value
            case .response: _ = await request.serializing(String.self).response
            case .resume: await request.resume()
            case .task: _ = try await Task { try await request.serializing(String.self).value }.value
            case .immediately: _ = request.serializing(String.self)
            case .stream: for try await _ in session.stream("http://a/x").chunks {}
            case .download:
                try FileManager.default.removeItem(at: try await session.download("http://a/x").value)
            }
        }
        try await TraceContext.$current.withValue(context) { try await run() }
        _ = await stub.requests(atLeast: 1)
        #expect(contexts(stub).first??.traceID == context.traceID)
        _ = await request.serializing(Data.self).result
    }

    @Test("A request over libcurl sends trace headers, and its span has the peer's address", arguments: [true, false])
    func overLibcurl(isMeasured: Bool) async throws {
        let (server, recorder) = (try await MockServer.start(), SpanRecorder())
        await server.route("/x") { .text($0.headers["traceparent"] ?? "none") }
        let session = Session(
            transport: LibcurlTransport(),
            configuration: .init(
                interceptors: [TracePropagation(tracer: recorder)], monitors: isMeasured ? [MetricsMonitor()] : []))
        let context = try Self.context
        let text = try await TraceContext.$current.withValue(context) {
            try await session.request(server.url("/x")).serializing(String.self).value
        }
        let span = try #require(recorder.spans.first)
        #expect(text == span.context.traceparent && span.parent == context && recorder.spans.count == 1)
        #expect(span.attributes["network.protocol.version"] == "1.1")
        #expect(span.attributes["network.peer.port"] == span.attributes["server.port"])
        #expect(span.attributes["network.peer.address"] == "127.0.0.1")
        #expect(span.attributes["server.port"] == .int(try #require(server.url("/x").port)))
        await session.finish()
        await server.stop()
    }

    @Test("A request with its own traceparent sends that unchanged, and its span has that parent")
    func ownHeader() async throws {
        let (stub, recorder) = (StubTransport { _ in .text("") }, SpanRecorder())
        let session = session(stub, TracePropagation(tracer: recorder))
        _ = await TraceContext.$current.withValue(TraceContext()) {
            await session.request("http://a/", headers: ["traceparent": Self.parent]).serializing(Data.self).result
        }
        #expect(stub.requests.first?.headers["traceparent"] == Self.parent)
        #expect(recorder.spans.first?.parent?.traceparent == Self.parent)
    }

    // MARK: Which hops

    @Test("Each attempt and redirect is sent with the identifier of its own span")
    func hops() async throws {
        let recorder = SpanRecorder()
        let stub = StubTransport { $0.path == "/x" ? .redirect(to: "/y") : .status(503) }
        let retries = RetryPolicy(limit: 1, backoff: Backoff(scale: .zero))
        let session = session(stub, TracePropagation(tracer: recorder), [retries])
        _ = await session.request("http://a/x").serializing(Data.self).result
        #expect(contexts(stub).count == 4 && Set(contexts(stub).map { $0?.spanID }).count == 4)
        #expect(contexts(stub).map { $0?.spanID } == recorder.spans.map(\.context.spanID))
        #expect(Set(contexts(stub).map { $0?.traceID }).count == 1)
    }

    @Test(
        "Trace headers are sent to another origin after a redirect only if destinations allow it",
        arguments: [
            (TracePropagation.Destinations.requested, "http://a/y", true), (.requested, "http://b/y", false),
            (.requested, "http://a:81/y", false), (.all, "http://b/y", true), (.hosts(["a"]), "http://b/y", false),
            (.hosts(["a", "B"]), "http://b/y", true), (.hosts(["a", "*.c"]), "http://x.c/y", true),
            (.hosts(["a", "*.c"]), "http://c/y", false), (.hosts(["a", "*.c"]), "http://xc/y", false),
            (.matching { $0.path != "/y" }, "http://a/y", false),
        ])
    func redirects(_ destinations: TracePropagation.Destinations, _ target: String, _ isAllowed: Bool) async throws {
        let (recorder, context) = (SpanRecorder(), try Self.context)
        let stub = StubTransport { $0.path == "/x" ? .redirect(to: target) : .text("") }
        let session = session(stub, TracePropagation(tracer: recorder, destinations: destinations))
        _ = await TraceContext.$current.withValue(context) {
            await session.request("http://a/x").serializing(Data.self).result
        }
        let names = ["traceparent", "tracestate", "baggage"]
        #expect(names.allSatisfy { stub.requests.first?.headers[$0] != nil })
        #expect(names.allSatisfy { (stub.requests.last?.headers[$0] != nil) == isAllowed })
        #expect(recorder.spans.count == 2 && stub.requests.count == 2)
    }

    @Test(
        "Named hosts match as host names or addresses, and a wildcard matches no address",
        arguments: [
            ("http://example.com/", true), ("http://EXAMPLE.com./", true), ("http://a.b.Example.org/", true),
            ("http://example.org/", false), ("http://xexample.org/", false), ("http://b\u{FC}cher.example/", true),
            ("http://a.xn--bcher-kva.example/", false), ("http://[0::1]/", true), ("http://[::2]/", false),
            ("http://[2001:db8::bad%25a.example.org]/", false), ("http://[2001:db8::bad%25x.example.com]/", false),
            ("http://1.2.3.4/", false),
        ])
    func namedHosts(_ url: String, _ isAllowed: Bool) throws {
        let names: Set = ["Example.com", "*.example.org", "b\u{FC}cher.example", "::1", "*.example.com", "*.3.4"]
        let url = try #require(URLReference(url).url)
        #expect(TracePropagation.Destinations.hosts(names).allows(url, isOwnOrigin: false) == isAllowed)
    }

    @Test(
        "The caller's own trace headers are sent to another origin only if destinations allow it",
        arguments: [true, false])
    func ownHeadersAfterRedirect(_ isAllowed: Bool) async throws {
        let stub = StubTransport { $0.path == "/x" ? .redirect(to: "http://b/y") : .text("") }
        let session = session(stub, TracePropagation(destinations: isAllowed ? .all : .requested))
        let headers: HTTPHeaders = ["traceparent": Self.parent, "tracestate": "a=1", "baggage": "own=1"]
        _ = await session.request("http://a/x", headers: headers).serializing(Data.self).result
        for name in ["traceparent", "tracestate", "baggage"] {
            #expect(stub.requests.first?.headers[name] == headers[name])
            #expect(stub.requests.last?.headers[name] == (isAllowed ? headers[name] : nil))
        }
        #expect(stub.requests.count == 2)
    }

    @Test("A tracer's context that has only identifiers gets the current baggage, and in the same trace the tracestate")
    func identifiersAlone() throws {
        let context = try Self.context
        let bare = TraceContext(traceID: context.traceID, spanID: .random())
        let (same, other) = (bare.passingOn(context), TraceContext().passingOn(context))
        #expect(same.baggage == context.baggage && same.tracestate == context.tracestate)
        #expect(other.baggage == context.baggage && other.tracestate.isEmpty)
    }

    @Test("A request redirected back to its own origin sends the trace headers again")
    func redirectedBack() async throws {
        let stub = StubTransport {
            switch $0.path {
            case "/x": .redirect(to: "http://b/y")
            case "/y": .redirect(to: "http://a/z")
            default: .text("")
            }
        }
        _ = await session(stub).request("http://a/x").serializing(Data.self).result
        #expect(contexts(stub).map { $0 == nil } == [false, true, false])
    }

    @Test("A request to a host that destinations do not name sends no trace headers, and has a span")
    func otherHost() async throws {
        let (stub, recorder) = (StubTransport { _ in .text("") }, SpanRecorder())
        let session = session(stub, TracePropagation(tracer: recorder, destinations: .hosts(["b"])))
        _ = await session.request("http://a/").serializing(Data.self).result
        #expect(stub.requests.first?.headers["traceparent"] == nil && recorder.spans.count == 1)
    }

    // MARK: Options

    @Test("Baggage is sent unless switched off, and the caller's own header is always sent", arguments: [true, false])
    func baggage(_ propagates: Bool) async throws {
        let (stub, context) = (StubTransport { _ in .text("") }, try Self.context)
        let session = session(stub, TracePropagation(propagatesBaggage: propagates))
        await TraceContext.$current.withValue(context) {
            _ = await session.request("http://a/").serializing(Data.self).result
            _ = await session.request("http://a/", headers: ["Baggage": "own=1"]).serializing(Data.self).result
        }
        #expect(stub.requests.map { $0.headers["baggage"] } == [propagates ? "user=a%20b" : nil, "own=1"])
    }

    @Test("A tracestate without its traceparent is not sent")
    func strayState() async throws {
        let stub = StubTransport { _ in .text("") }
        _ = await session(stub).request("http://a/", headers: ["tracestate": "a=1"]).serializing(Data.self).result
        #expect(stub.requests.first?.headers["tracestate"] == nil)
    }

    @Test("The last of several TracePropagation policies applies, inside an Interceptor too")
    func several() async throws {
        let (stub, first, last) = (StubTransport { _ in .text("") }, SpanRecorder(), SpanRecorder())
        let session = session(stub, TracePropagation(tracer: first))
        let combined = Interceptor([RetryPolicy(), TracePropagation(tracer: last)])
        let request = session.request("http://a/")
        request.interceptor(combined)
        _ = await request.serializing(Data.self).result
        #expect(first.spans.isEmpty && last.spans.count == 1)
    }

    @Test("The context returned by the tracer is sent, and startSpan runs in the task that sends the request")
    func tracersContext() async throws {
        struct Own: RequestTracer {
            let context: TraceContext
            @TaskLocal static var local = 0
            let seen = Counter()
            func startSpan(_ span: TraceSpan) -> TraceContext {
                if Self.local == 7 { seen.add() }
                return context
            }
            func endSpan(_ span: TraceSpan) { if span.context == context { seen.add() } }
        }
        let (stub, tracer) = (StubTransport { _ in .text("") }, Own(context: TraceContext(isSampled: false)))
        let session = session(stub, TracePropagation(tracer: tracer))
        _ = await Own.$local.withValue(7) { await session.request("http://a/").serializing(Data.self).result }
        #expect(contexts(stub) == [tracer.context])
        #expect(tracer.seen.value == 2)
    }
}
