/// A request and the serializer of its response.
///
/// Making a response task sends nothing, unless the session has ``SessionConfiguration/startsRequestsImmediately``.
/// Awaiting its value, ``result`` or ``response`` starts the request unless it has started, waits for its outcome and
/// serializes it. Each await serializes again, but the response is transferred once.
public struct ResponseTask<Value: Sendable>: Sendable {
    /// The request whose response is serialized.
    public var request: any Request { engine.handle }
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
            guard engine.observers.areAllObserved else { return await serialize(outcome) }
            let stopwatch = Stopwatch()
            let result = await serialize(outcome)
            report(result, of: outcome, after: stopwatch.elapsed)
            return result
        }
    }

    /// The value or the error, with everything known of request and response; never throws.
    public var response: DataResponse<Value, AsyncNetError> {
        get async {
            let outcome = await engine.transferOutcome()
            let stopwatch = Stopwatch()
            let result = await serialize(outcome)
            var metrics = outcome.metrics
            metrics.serialization = stopwatch.elapsed
            report(result, of: outcome, after: metrics.serialization)
            return DataResponse(result: result, metrics: metrics, outcome: outcome)
        }
    }

    /// Reports that the response was serialized, if there was one.
    private func report(_ result: Result<Value, AsyncNetError>, of outcome: TransferOutcome, after time: Duration) {
        guard outcome.error == nil else { return }
        engine.observers.sendDecoded(Value.self, after: time, result.failure)
    }

    /// Runs on no actor, so that serializing a large body blocks neither the session nor the caller's actor.
    @concurrent
    private func serialize(_ outcome: TransferOutcome) async -> Result<Value, AsyncNetError> {
        if let error = outcome.error { return .failure(error) }
        guard var response = outcome.rawResponse else {
            return .failure(Self.error(AsyncNetError(.badServerResponse), outcome))
        }
        do {
            if case .file(let file) = engine.target { response = try await file.response(response) }
            guard place.isHere(response) else { return .success(try await serializeApart(response)) }
            return .success(try await serializer.serialize(response))
        } catch {
            return .failure(Self.error(error, outcome))
        }
    }

    @inline(never)
    private static func error(_ error: any Error, _ outcome: TransferOutcome) -> AsyncNetError {
        AsyncNetError(wrapping: error, as: .decodingFailed).with(outcome.errorContext)
    }

    @inline(never)
    private func serializeApart(_ response: RawResponse) async throws -> Value {
        try await UserCode.runAbandonably { [serializer] in try await serializer.serialize(response) }
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

extension ResponseTask where Value == Empty {
    /// Waits until the request has succeeded. There is no value, so that a statement needs no `_ =`.
    ///
    /// - Throws: ``AsyncNetError``, as for other types.
    public var value: Void {
        get async throws(AsyncNetError) { _ = try await result.get() }
    }
}
