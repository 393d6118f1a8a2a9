import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors

@Suite("SpanRecorder", .timeLimit(.minutes(5)))
struct SpanRecorderTests {
    private func span(_ number: Int) -> TraceSpan {
        TraceSpan(requestID: RequestID(), name: "\(number)", context: TraceContext())
    }

    @Test("The spans that ended last are kept, up to the limit")
    func limit() {
        let recorder = SpanRecorder(limit: 3)
        for number in 1...10 { recorder.endSpan(span(number)) }
        #expect(recorder.spans.map(\.name) == ["8", "9", "10"])
        recorder.removeAll()
        #expect(recorder.spans.isEmpty)
        recorder.endSpan(span(11))
        #expect(recorder.spans.map(\.name) == ["11"])
        let unlimited = SpanRecorder(limit: .max)
        unlimited.endSpan(span(12))
        #expect(unlimited.spans.map(\.name) == ["12"])
    }

    @Test("A span is open between its start and its end")
    func open() {
        let (recorder, span) = (SpanRecorder(), span(1))
        #expect(recorder.startSpan(span) == span.context)
        #expect(recorder.openSpans.map(\.context) == [span.context] && recorder.spans.isEmpty)
        recorder.endSpan(span)
        #expect(recorder.openSpans.isEmpty && recorder.spans.count == 1)
    }

    @Test("A span ends when the response's body has ended, even if its reader is slow")
    func duration() async throws {
        struct Feeding: Transport {
            let chunks: AsyncThrowingStream<Data, any Error>
            func send(_ request: TransportRequest) async throws -> TransportResponse {
                TransportResponse(
                    head: HTTPResponseHead(statusCode: 200, url: request.head.url), body: TransportBody(chunks))
            }
        }
        let (clock, recorder) = (TestClock(), SpanRecorder())
        let (chunks, feed) = AsyncThrowingStream<Data, any Error>.makeStream()
        let session = Session(
            transport: Feeding(chunks: chunks),
            configuration: .init(interceptors: [TracePropagation(tracer: recorder)], clock: clock))
        feed.yield(Data("a".utf8))
        for try await _ in session.stream("http://a/").chunks {
            #expect(recorder.openSpans.count == 1 && recorder.spans.isEmpty)
            clock.advance(by: .seconds(3))
            feed.finish()
        }
        #expect(recorder.openSpans.isEmpty && recorder.spans.map(\.duration) == [.seconds(3)])
        #expect(recorder.spans.first?.description == "GET 200 3.0 seconds")
    }

    @Test("An event of a span has the time since the span's start")
    func repeated() async throws {
        struct Repeating: Transport {
            let clock: TestClock
            func send(_ request: TransportRequest) async throws -> TransportResponse {
                clock.advance(by: .seconds(2))
                request.onEvent?(.repeated)
                clock.advance(by: .seconds(1))
                return TransportResponse(
                    head: HTTPResponseHead(statusCode: 200, url: request.head.url), body: TransportBody(Data()))
            }
        }
        let (clock, recorder) = (TestClock(), SpanRecorder())
        let session = Session(
            transport: Repeating(clock: clock),
            configuration: .init(interceptors: [TracePropagation(tracer: recorder)], clock: clock))
        _ = await session.request("http://a/").serializing(Data.self).result
        #expect(recorder.spans.first?.events == [TraceSpan.Event(name: "repeated", time: .seconds(2))])
        #expect(recorder.spans.first?.duration == .seconds(3))
    }

    @Test("No span contains a secret")
    func secrets() async throws {
        let recorder = SpanRecorder()
        let stub = StubTransport { request in
            request.path == "/x"
                ? .status(302, headers: ["Location: http://u:planted@a/y?token=planted", "Set-Cookie: a=planted"])
                : .fault(.resetAfterHead)
        }
        let names = ["Authorization", "Cookie", "Set-Cookie", "Location", "X-API-Key", "baggage", "Referer"]
        let propagation = TracePropagation(tracer: recorder, requestHeaders: names, responseHeaders: names)
        let session = Session(transport: stub, configuration: .init(interceptors: [propagation]))
        let template = URLTemplate("http://u:planted@a/{path}?sig=planted&X-Amz-Signature=planted", ["path": "x"])
        let headers: HTTPHeaders = [
            "Authorization: Bearer planted", "Cookie: a=planted", "X-API-Key: planted",
            "Referer: http://u:planted@a/?access_token=planted",
        ]
        var context = TraceContext()
        context.baggage = "user=planted"
        _ = await TraceContext.$current.withValue(context) {
            await session.request(template, headers: headers).serializing(Data.self).result
        }
        #expect(recorder.spans.count == 2)
        for span in recorder.spans {
            var text = "\(span) \(span.name) \(span.attributes) \(span.status) \(span.events) \(span.context)"
            dump(span, to: &text)
            #expect(!text.contains("planted"))
        }
    }
}
