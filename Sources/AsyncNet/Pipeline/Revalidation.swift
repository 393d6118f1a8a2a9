extension RequestRun {
    /// Sends a request with the conditions of its stored response, in a run of its own. Observers see it as a request.
    func revalidate(_ request: TransportRequest, _ credential: OriginCredential?, _ key: CacheKey) {
        let (environment, policies, scoped) = (environment, policies.ofRevalidation, context.scoped)
        environment.revalidations.begin(key, environment.transfers, on: environment.timers.time.executor) {
            let id = RequestID()
            let observers = RequestObservers(id, .data, environment.events, policies.values)
            var context = RunContext(id, environment, policies, DroppingSink())
            (context.observers, context.scoped) = (observers, scoped)
            let run = RequestRun(context)
            run.record.beginAttempt()
            observers.send(.created)
            observers.beginAttempt(1, request.urlTemplate)
            observers.send(.attempt(1, request.head))
            observers.finish(await run.outcome(over: Pipeline.transfer, request, credential))
        }
    }
}

private struct DroppingSink: ResponseSink {
    func receive(_ body: inout ResponseBody) async throws { while try await body.next() != nil {} }
}
