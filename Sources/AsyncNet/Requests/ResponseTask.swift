/// A request together with what its response is to become.
///
/// Making one does nothing; awaiting ``value``, ``result`` or ``response`` starts the request if nobody has yet, waits
/// for it and serializes. Each awaiting serializes anew, but the transfer happens once.
public struct ResponseTask<Value: Sendable>: Sendable {
    /// The request whose response is serialized.
    public let request: DataRequest
    private let serializer: any ResponseSerializer<Value>
    private let place: SerializerPlace

    init(_ request: DataRequest, _ serializer: any ResponseSerializer<Value>, _ place: SerializerPlace) {
        self.request = request
        self.serializer = serializer
        self.place = place
    }

    /// The value.
    ///
    /// - Throws: ``AsyncNetError``; `.cancelled` if the request or the awaiting task was cancelled, also while a
    ///   serializer of the user's runs or a body of 64 KiB and more is serialized. A response of status 404 is a
    ///   response, not an error, until the request is told to `validate`.
    public var value: Value {
        get async throws(AsyncNetError) {
            try await result.get()
        }
    }

    /// The value or the error.
    public var result: Result<Value, AsyncNetError> {
        get async { await serialize(await request.engine.transferOutcome()) }
    }

    /// The value or the error with all that is known of the exchange; never throws.
    public var response: DataResponse<Value, AsyncNetError> {
        get async {
            let outcome = await request.engine.transferOutcome()
            let clock = ContinuousClock()
            let start = clock.now
            let result = await serialize(outcome)
            var metrics = outcome.metrics
            metrics.serialization = clock.now - start
            return DataResponse(result: result, metrics: metrics, outcome: outcome)
        }
    }

    /// Off every actor, so that a large body blocks neither the session nor the caller's actor.
    @concurrent
    private func serialize(_ outcome: TransferOutcome) async -> Result<Value, AsyncNetError> {
        if let error = outcome.error { return .failure(error) }
        guard let response = outcome.rawResponse else {
            return .failure(AsyncNetError(.badServerResponse).with(outcome.errorContext))
        }
        do {
            guard place.isHere(response) else { return .success(try await serializeApart(response)) }
            return .success(try await serializer.serialize(response))
        } catch {
            return .failure(AsyncNetError(wrapping: error, as: .decodingFailed).with(outcome.errorContext))
        }
    }

    private func serializeApart(_ response: RawResponse) async throws -> Value {
        try await UserCode.runAbandonably { [serializer] in try await serializer.serialize(response) }
    }
}
