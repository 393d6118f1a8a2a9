import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors

@Suite("Spans of requests", .timeLimit(.minutes(5)))
struct RequestSpansTests {
    @Test("Each hop that is sent has one span, which ends once", arguments: SpanScenarios.all)
    func scenarios(_ scenario: EventScenario) async throws {
        let tracer = CountingTracer()
        _ = try await scenario.anew(in: SpanScenarios.all).observe {
            $0.interceptors.append(TracePropagation(tracer: tracer))
        }
        let spans = tracer.recorder.spans
        let isParallel = scenario.name.contains("hedged")
        let (found, expected) = (spans.map(\.step), scenario.steps)
        #expect((isParallel ? found.sorted() : found) == (isParallel ? expected.sorted() : expected))
        #expect(tracer.recorder.openSpans.isEmpty)
        #expect(tracer.ends == spans.map(\.context.spanID))
        #expect(Set(spans.map(\.requestID)).count == (scenario.steps.isEmpty ? 0 : 1))
        #expect(Set(spans.map(\.context.traceID)).count == (scenario.steps.isEmpty ? 0 : 1))
    }

    @Test("A response from the cache has no span, and its revalidation has one")
    func cached() async throws {
        let recorder = SpanRecorder()
        let stub = StubTransport { request in
            let headers: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": "max-age=600"]
            return request.headers["If-None-Match"] == nil ? .text("abc", headers: headers) : .status(304)
        }
        let configuration = SessionConfiguration(
            interceptors: [TracePropagation(tracer: recorder)], cache: HTTPCache())
        let session = Session(transport: stub, configuration: configuration)
        for mode in [CacheMode.standard, .standard, .revalidate] {
            let options = RequestOptions(cacheMode: mode)
            _ = try await session.request("http://a/", options: options).serializing(String.self).value
        }
        #expect(recorder.spans.map(\.step) == ["GET 200", "GET 304"] && recorder.openSpans.isEmpty)
    }

    @Test("A span ends with its cancelled request, even if the transport ignores the cancel")
    func ignoredCancel() async throws {
        struct Ignoring: Transport {
            let sent = Gate()
            let end = Gate()
            func send(_ request: TransportRequest) async throws -> TransportResponse {
                sent.open()
                // A task of its own does not learn of the cancel.
                await Task { await end.wait() }.value
                throw AsyncNetError(.connectionLost)
            }
        }
        let (transport, tracer) = (Ignoring(), CountingTracer())
        let session = Session(
            transport: transport, configuration: .init(interceptors: [TracePropagation(tracer: tracer)]))
        let request = session.request("http://a/")
        async let result = request.serializing(Data.self).result
        await transport.sent.wait()
        await request.cancel()
        _ = await result
        #expect(tracer.recorder.spans.map(\.step) == ["GET cancelled"])
        transport.end.open()
        await session.finish()
        #expect(tracer.ends.count == 1)
    }

    @Test("The span of a stream ends when its reader leaves the loop")
    func abandonedStream() async throws {
        let (recorder, stub) = (SpanRecorder(), StubTransport { _ in .text("abc").with(.stallMidBody(after: 2)) })
        let session = Session(
            transport: stub, configuration: .init(interceptors: [TracePropagation(tracer: recorder)]))
        for try await _ in session.stream("http://a/").chunks { break }
        await session.finish()
        #expect(recorder.spans.map(\.step) == ["GET 200 cancelled"] && recorder.openSpans.isEmpty)
    }

    /// A tracer that calls a closure when a span begins, and returns the same context for all spans.
    private final class Constant: RequestTracer {
        private let context = TraceContext()
        let (starts, ends) = (Counter(), Counter())
        private let onStart: @Sendable () -> Void

        init(_ onStart: @escaping @Sendable () -> Void = {}) { self.onStart = onStart }

        func startSpan(_ span: TraceSpan) -> TraceContext {
            starts.add()
            onStart()
            return context
        }

        func endSpan(_ span: TraceSpan) { ends.add() }
    }

    /// A request whose hops are in a trace.
    private struct Traced {
        let observers = RequestObservers(RequestID(), .data, EventHub([], TimeSource(TestClock())))
        let trace: RequestSpans

        init(_ tracer: any RequestTracer) {
            trace = RequestSpans(TracePropagation(tracer: tracer), RequestID())
        }

        /// Begins a hop of a run of its own.
        func beginHop() throws {
            var request = TransportRequest(head: HTTPRequestHead(url: try "http://a/".asURL()))
            let watch = TransferWatch(
                TransferRecord(), observers, TransferHold(),
                RunPolicies(Environment(SessionConfiguration(), StubTransport { _ in .text("") }), RequestOptions()),
                observers, .own)
            watch.beginHop(&request, trace.branch(.hedged), isRedirected: false)
        }
    }

    @Test("A span that begins during or after the end of its request ends at once")
    func over() throws {
        let tracer = Constant()
        let late = Traced(tracer)
        late.observers.finish(TransferOutcome(error: nil))
        try late.beginHop()
        #expect(tracer.starts.value == 1 && tracer.ends.value == 1)
        let current = Locked<Traced?>(nil)
        let ending = Constant { current.withLock { $0 }?.observers.finish(TransferOutcome(error: nil)) }
        let other = Traced(ending)
        current.withLock { $0 = other }
        try other.beginHop()
        #expect(ending.starts.value == 1 && ending.ends.value == 1)
    }

    @Test("Spans of hedged transfers end with their request, even if the tracer returns one context for all")
    func constantContext() throws {
        let tracer = Constant()
        let request = Traced(tracer)
        for _ in 0..<2 { try request.beginHop() }
        request.observers.finish(TransferOutcome(error: nil))
        #expect(tracer.starts.value == 2 && tracer.ends.value == 2)
    }

    @Test("A thousand requests cancelled at random moments end each span once")
    func storm() async throws {
        let (tracer, late) = (CountingTracer(), Counter())
        let stub = StubTransport { _ in .text("abc").delayed(by: .seconds(.random(in: 0...3))) }
        let session = Session(
            transport: stub,
            configuration: .init(
                interceptors: [
                    RetryPolicy(), HedgingPolicy(after: .fixed(.seconds(1))), TracePropagation(tracer: tracer),
                ], clock: TestClock()))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<1000 {
                group.addTask {
                    let request = session.request("http://a.example/\(number)")
                    let task = Task { await request.serializing(Data.self).result }
                    for _ in 0..<(number % 40) { await Task.yield() }
                    task.cancel()
                    _ = await task.value
                    if tracer.recorder.openSpans.contains(where: { $0.requestID == request.id }) { late.add() }
                }
            }
        }
        let ended = tracer.ends.count
        await session.finish()
        #expect(late.value == 0 && tracer.ends.count == ended)
        #expect(tracer.recorder.openSpans.isEmpty)
        #expect(Set(tracer.ends).count == tracer.ends.count && tracer.ends.count == tracer.recorder.spans.count)
    }
}

/// Records spans, and the identifiers of those that ended.
final class CountingTracer: RequestTracer {
    let recorder = SpanRecorder()
    private let ended = Locked<[TraceContext.SpanID]>([])

    var ends: [TraceContext.SpanID] { ended.withLock { $0 } }

    func startSpan(_ span: TraceSpan) -> TraceContext { recorder.startSpan(span) }

    func endSpan(_ span: TraceSpan) {
        ended.withLock { $0.append(span.context.spanID) }
        recorder.endSpan(span)
    }
}

extension TraceSpan {
    /// A text such as `GET 302 #1 !tooManyRedirects`: name, status, the number of the resend, the error, events.
    var step: String {
        var parts = [name]
        if let status = attributes["http.response.status_code"] { parts.append(status.description) }
        if let resends = attributes["http.request.resend_count"] { parts.append("#\(resends)") }
        if let type = attributes["error.type"] { parts.append("!\(type)") }
        if (status == .unset) != (attributes["error.type"] == nil) { parts.append("with another status") }
        return (parts + events.map(\.name)).joined(separator: " ")
    }
}
