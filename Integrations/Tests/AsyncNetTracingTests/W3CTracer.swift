import AsyncNet
import AsyncNetMonitors
import InMemoryTracing
import Tracing

/// A tracer that injects W3C Trace Context, with numbers that count up.
struct W3CTracer: Tracer {
    let spans: InMemoryTracer
    /// Whether all spans have the same context.
    let isConstant: Bool

    init(isConstant: Bool = false) {
        self.isConstant = isConstant
        spans = InMemoryTracer(idGenerator: .incrementing)
    }

    static func parent(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        let (trace, span) = (String(repeating: "0", count: 31) + "1", String(repeating: "0", count: 16 - digits.count))
        return "00-\(trace)-\(span)\(digits)-01"
    }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> InstrumentationContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> InMemorySpan {
        spans.startSpan(
            operationName, context: context(), ofKind: kind, at: instant(), function: function, file: fileID,
            line: line)
    }

    func forceFlush() {}

    func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let span = context.inMemorySpanContext else { return }
        let number = isConstant ? 1 : Int(span.spanID.drop { !$0.isNumber }) ?? 0
        injector.inject(Self.parent(number), forKey: "traceparent", into: &carrier)
        injector.inject("vendor=\(number)", forKey: "tracestate", into: &carrier)
    }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        let parts = (extractor.extract(key: "traceparent", from: carrier) ?? "").split(separator: "-")
        guard parts.count == 4 else { return }
        context.inMemorySpanContext = InMemorySpanContext(
            traceID: String(parts[1]), spanID: String(parts[2]), parentSpanID: nil)
    }
}
