import AsyncNet
import AsyncNetTesting
import AsyncNetTracing
import Foundation
import InMemoryTracing
import Testing
import Tracing

@Suite("Sending the current ServiceContext", .timeLimit(.minutes(1)))
struct ServiceContextPropagationTests {
    private let spans = InMemoryTracer()
    private let stub = StubTransport { _ in .text("") }

    private func session(_ instrument: (any Instrument)?) -> Session {
        let propagation = ServiceContextPropagation(instrument)
        return Session(transport: stub, configuration: .init(interceptors: [propagation]))
    }

    private func send(_ session: Session) async throws {
        let headers: HTTPHeaders = ["In-Memory-Span-ID: own", "X-Many: 1", "X-Many: 2"]
        _ = try await session.request("http://example.com/", headers: headers).serializing(Data.self).value
    }

    @Test("The instrument's headers are sent, in place of the request's own of those names")
    func injected() async throws {
        let session = session(spans)
        try await spans.withSpan("caller") { span in
            try await send(session)
            let headers = try #require(stub.requests.first).headers
            #expect(headers.values(for: InMemoryTracer.traceIDKey) == [span.traceID])
            #expect(headers.values(for: InMemoryTracer.spanIDKey) == [span.spanID])
            #expect(headers.values(for: "X-Many") == ["1", "2"])
        }
    }

    @Test("Without a context nothing is sent")
    func withoutContext() async throws {
        try await send(session(spans))
        let headers = try #require(stub.requests.first).headers
        #expect(headers.contains(name: InMemoryTracer.traceIDKey) == false)
        #expect(headers.values(for: InMemoryTracer.spanIDKey) == ["own"])
    }

    @Test("Without an instrument of its own the system's is used, in the task that starts the request")
    func system() async throws {
        let session = session(nil)
        try await withTracer(spans) {
            try await spans.withSpan("caller") { span in
                try await send(session)
                #expect(stub.requests.first?.headers[InMemoryTracer.spanIDKey] == span.spanID)
            }
        }
    }
}
