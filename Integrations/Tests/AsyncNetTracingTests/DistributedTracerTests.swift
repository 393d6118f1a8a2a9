import AsyncNet
import AsyncNetMonitors
import AsyncNetTesting
import AsyncNetTracing
import Foundation
import InMemoryTracing
import Testing
import Tracing

@Suite("Spans of requests in a tracing system", .timeLimit(.minutes(1)))
struct DistributedTracerTests {
    private let spans = InMemoryTracer()

    private func session(_ transport: some Transport, _ tracer: (any Tracer)?) -> Session {
        let propagation = TracePropagation(tracer: DistributedTracer(tracer))
        return Session(transport: transport, configuration: .init(interceptors: [propagation]))
    }

    @Test("A request is a client span with the conventions' attributes, a child of the caller's span")
    func request() async throws {
        let stub = StubTransport { _ in .text("", status: 404) }
        let session = session(stub, spans)
        try await spans.withSpan("caller") { _ in
            _ = try await session.request("http://user:secret@example.com/a?sig=secret").serializing(Data.self).value
        }
        let span = try #require(spans.finishedSpans.first)
        #expect(span.operationName == "GET")
        #expect(span.kind == .client)
        #expect(span.parentSpanID == spans.finishedSpans.last?.spanID)
        #expect(span.traceID == spans.finishedSpans.last?.traceID)
        #expect(span.attributes.get("http.request.method") == .string("GET"))
        #expect(span.attributes.get("server.address") == .string("example.com"))
        #expect(span.attributes.get("server.port") == .int64(80))
        #expect(span.attributes.get("http.response.status_code") == .int64(404))
        #expect(span.attributes.get("error.type") == .string("404"))
        #expect(span.status == SpanStatus(code: .error))
        #expect(!"\(span)".contains("secret"))
        #expect(spans.activeSpans.isEmpty)
    }

    @Test("Each attempt is a span, and an error is its status")
    func attempts() async throws {
        let stub = StubTransport { _ in .fault(.resetBeforeHead) }
        let retry = RetryPolicy(limit: 1, backoff: Backoff(scale: .zero))
        _ = await session(stub, spans).request(
            "http://example.com/", options: RequestOptions(interceptors: [retry])
        ).serializing(Data.self).response
        #expect(spans.finishedSpans.count == 2)
        #expect(spans.finishedSpans.map { $0.attributes.get("http.request.resend_count") } == [nil, .int64(1)])
        for span in spans.finishedSpans {
            #expect(span.attributes.get("error.type") == .string("connectionLost"))
            #expect(span.status?.code == .error)
            #expect(span.status?.message?.isEmpty == false)
        }
        #expect(spans.activeSpans.isEmpty)
    }

    @Test("A span's times, events and lists are those of AsyncNet's span")
    func values() async throws {
        let tracer = DistributedTracer(spans)
        let id = Session(transport: StubTransport()).request("http://example.com").id
        let start = Date(timeIntervalSince1970: 1000)
        var span = TraceSpan(
            requestID: id, name: "GET users/{id}", context: TraceContext(), start: start, duration: .milliseconds(1500),
            attributes: ["http.request.header.accept": .strings(["a", "b"])],
            events: [TraceSpan.Event(name: "repeated", time: .milliseconds(500))])
        let context = tracer.startSpan(span)
        #expect(context == span.context)
        span = TraceSpan(
            requestID: id, name: span.name, context: context, start: start, duration: span.duration,
            attributes: span.attributes, events: span.events)
        tracer.endSpan(span)
        tracer.endSpan(span)
        let finished = try #require(spans.finishedSpans.first)
        #expect(spans.finishedSpans.count == 1)
        #expect(finished.operationName == "GET users/{id}")
        #expect(finished.startInstant.nanosecondsSinceEpoch == 1_000_000_000_000)
        #expect(finished.endInstant.nanosecondsSinceEpoch == 1_001_500_000_000)
        #expect(finished.events.map(\.name) == ["repeated"])
        #expect(finished.events.map(\.nanosecondsSinceEpoch) == [1_000_500_000_000])
        #expect(finished.attributes.get("http.request.header.accept") == .stringArray(["a", "b"]))
        #expect(finished.status == nil)
    }

    @Test("Times beyond what the tracing system can express are its last")
    func farTimes() throws {
        let tracer = DistributedTracer(spans)
        let id = Session(transport: StubTransport()).request("http://example.com").id
        let span = TraceSpan(
            requestID: id, name: "GET", context: TraceContext(), start: .distantFuture, duration: .seconds(Int64.max))
        _ = tracer.startSpan(span)
        tracer.endSpan(span)
        #expect(spans.finishedSpans.first?.endInstant.nanosecondsSinceEpoch == .max)
    }

    @Test("Without a ServiceContext, the parent is that of AsyncNet's span")
    func parentOfSpan() async throws {
        let tracer = W3CTracer()
        let session = session(StubTransport { _ in .text("") }, tracer)
        let context = TraceContext()
        _ = await TraceContext.$current.withValue(context) {
            await session.request("http://example.com/").serializing(Data.self).response
        }
        _ = await session.request("http://example.com/", headers: ["traceparent": context.traceparent])
            .serializing(Data.self).response
        #expect(tracer.spans.finishedSpans.map(\.traceID) == Array(repeating: "\(context.traceID)", count: 2))
        #expect(tracer.spans.finishedSpans.first?.parentSpanID == "\(context.spanID)")
    }

    @Test("The context that the tracer injects is sent, for each attempt its own")
    func propagation() async throws {
        let stub = StubTransport { _ in .text("") }
        let tracer = W3CTracer()
        let session = session(stub, tracer)
        for _ in 0..<2 { _ = try await session.request("http://example.com/").serializing(Data.self).value }
        #expect(stub.requests.map { $0.headers["traceparent"] } == [W3CTracer.parent(1), W3CTracer.parent(2)])
        #expect(stub.requests.map { $0.headers["tracestate"] } == ["vendor=1", "vendor=2"])
        #expect(tracer.spans.finishedSpans.count == 2)
    }

    @Test("Spans that share a context, since nothing is recorded, each end")
    func sharedContext() async throws {
        let tracer = W3CTracer(isConstant: true)
        let session = session(StubTransport { _ in .text("") }, tracer)
        await withTaskGroup { group in
            for _ in 0..<50 {
                group.addTask { _ = await session.request("http://example.com/").serializing(Data.self).response }
            }
        }
        #expect(tracer.spans.finishedSpans.count == 50)
        #expect(tracer.spans.activeSpans.isEmpty)
    }

    @Test("Without a tracer of its own the system's is used, in the task that starts the request")
    func system() async throws {
        let session = session(StubTransport { _ in .text("") }, nil)
        try await withTracer(spans) {
            _ = try await session.request("http://example.com/").serializing(Data.self).value
        }
        #expect(spans.finishedSpans.count == 1)
        _ = try await session.request("http://example.com/").serializing(Data.self).value
        #expect(spans.finishedSpans.count == 1)
    }
}
