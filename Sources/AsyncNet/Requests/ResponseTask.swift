/// A request and the serializer of its response.
///
/// Making a response task sends nothing, unless the session has ``SessionConfiguration/startsRequestsImmediately``.
/// Awaiting its value, ``result`` or ``response`` starts the request unless it has started, waits for its outcome and
/// serializes it. Each await serializes again, but the response is transferred once.
public struct ResponseTask<Value: Sendable>: Sendable {
    /// The request whose response is serialized.
    public var request: any Request { engine.target.handle(of: engine) }
    private let engine: RequestEngine
    private let serializer: any ResponseSerializer<Value>
    private let place: SerializerPlace

    init(_ engine: RequestEngine, _ serializer: any ResponseSerializer<Value>, _ place: SerializerPlace) {
        (self.engine, self.serializer, self.place) = (engine, serializer, place)
        engine.serializerIsMade()
    }

    /// The value that the serializer makes of the response.
    ///
    /// - Throws: ``AsyncNetError``; `.cancelled` if the request or the awaiting task was cancelled, also while a
    ///   serializer of the user's runs or a body of 64 KiB and more is serialized. A status such as 404 is an error
    ///   only with a validator, see ``Request/validate()``.
    @_disfavoredOverload
    public var value: Value {
        get async throws(AsyncNetError) {
            try await result.get()
        }
    }

    /// The value or the error.
    public var result: Result<Value, AsyncNetError> {
        get async {
            let outcome = await engine.transferOutcome()
            return await serialize(outcome, engine.observers.areAllObserved ? Stopwatch() : nil)
        }
    }

    /// The value or the error, with everything known of request and response; never throws.
    public var response: DataResponse<Value, AsyncNetError> {
        get async {
            let outcome = await engine.transferOutcome()
            let stopwatch = Stopwatch()
            let result = await serialize(outcome, stopwatch)
            var metrics = outcome.metrics
            metrics.serialization = stopwatch.elapsed
            return DataResponse(result: result, metrics: metrics, outcome: outcome)
        }
    }

    /// Runs on no actor, so that serializing a large body blocks neither the session nor the caller's actor.
    @concurrent
    private func serialize(_ outcome: TransferOutcome, _ stopwatch: Stopwatch?) async -> Result<Value, AsyncNetError> {
        if let error = outcome.error { return .failure(error) }
        do {
            guard var response = outcome.rawResponse else { throw AsyncNetError(.badServerResponse) }
            if case .file(let file) = engine.target { response = try await file.response(response) }
            let value =
                try await place.isHere(response.data) ? serializer.serialize(response) : serializeApart(response)
            report(nil, stopwatch)
            return .success(value)
        } catch {
            let error = AsyncNetError(wrapping: error, as: .decodingFailed).with(outcome.errorContext)
            report(error, stopwatch)
            return .failure(error)
        }
    }

    private func report(_ error: AsyncNetError?, _ stopwatch: Stopwatch?) {
        if let stopwatch { engine.observers.sendDecoded(Value.self, after: stopwatch.elapsed, error) }
    }

    private func serializeApart(_ response: RawResponse) async throws -> Value {
        try await UserCode.runAbandonably { [serializer] in try await serializer.serialize(response) }
    }
}

extension ResponseTask where Value == NoContent {
    /// Waits until the request has succeeded. There is no value, so that a statement needs no `_ =`.
    ///
    /// - Throws: ``AsyncNetError``, as for other types.
    public var value: Void {
        get async throws(AsyncNetError) { _ = try await result.get() }
    }
}
