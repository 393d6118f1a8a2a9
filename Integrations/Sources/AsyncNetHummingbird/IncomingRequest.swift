import AsyncNet
import AsyncNetMonitors
import HTTPTypes
import Tracing

/// What the tasks that respond to a request know of it.
struct IncomingRequest: Sendable {
    @TaskLocal static var deadline: ContinuousClock.Instant?

    let trace: TraceContext?
    let deadline: ContinuousClock.Instant?

    init(trace: TraceContext?, limit: Duration?) {
        self.trace = trace ?? TraceContext.current
        deadline = [limit.map { ContinuousClock.now.advanced(by: $0) }, Self.deadline].compactMap(\.self).min()
    }

    /// Runs an application's code without what the caller's task knows of a request.
    static func leave(_ work: () async -> Void) async {
        await $deadline.withValue(nil) {
            await TraceContext.$current.withValue(nil) {
                await ServiceContext.$current.withValue(nil) { await work() }
            }
        }
    }

    @concurrent
    func run<Value>(_ work: @concurrent () async throws -> Value) async rethrows -> Value {
        try await Self.$deadline.withValue(deadline) {
            try await TraceContext.$current.withValue(trace) { try await work() }
        }
    }
}

extension TraceContext {
    init?(_ fields: HTTPFields) {
        var headers = HTTPHeaders()
        for field in fields where ["traceparent", "tracestate", "baggage"].contains(field.name.canonicalName) {
            headers.add(name: field.name.canonicalName, value: field.value)
        }
        self.init(headers)
    }
}
