public import Foundation

/// A request with a given body: from memory, a file, a stream or a form. Its ``Request/kind`` is `.upload`.
public typealias UploadRequest = DataRequest

/// A request whose response's body is kept in memory.
///
/// Made by ``Session/request(_:method:headers:options:modifier:)`` and
/// ``Session/upload(_:to:method:headers:options:modifier:)``. Serializers turn the response into a value; any number of
/// serializers use the same response, which is transferred once. Cancelling a task that awaits the request cancels the
/// request, unless other tasks await it too.
public struct DataRequest: Request, CustomReflectable {
    public let engine: RequestEngine

    init(_ engine: RequestEngine) { self.engine = engine }
}

extension DataRequest {
    /// Decodes the body as a `Decodable` type.
    ///
    /// Decoding runs on no actor, so the type's conformance must not be bound to an actor: in a module whose default
    /// isolation is the main actor, declare the type `nonisolated`, or use ``decode(_:using:)``.
    public func serializing<Value: Decodable & Sendable>(
        _ type: Value.Type, decoder: any DataDecoder = StandardJSONDecoder(),
        preprocessor: any DataPreprocessor = .passthrough, emptyBodies: EmptyBodies = EmptyBodies()
    ) -> ResponseTask<Value> {
        own(DecodableSerializer(type, decoder: decoder, preprocessor: preprocessor, emptyBodies: emptyBodies))
    }

    /// Parses the body as ``JSON``.
    public func serializing(
        _ type: JSON.Type, preprocessor: any DataPreprocessor = .passthrough, emptyBodies: EmptyBodies = EmptyBodies()
    ) -> ResponseTask<JSON> {
        own(JSONSerializer(preprocessor: preprocessor, emptyBodies: emptyBodies))
    }

    /// Decodes the body as text, in `encoding` if given, else in the charset of the `Content-Type`, else in UTF-8.
    public func serializing(
        _ type: String.Type, encoding: String.Encoding? = nil, preprocessor: any DataPreprocessor = .passthrough
    ) -> ResponseTask<String> {
        own(StringSerializer(encoding: encoding, preprocessor: preprocessor))
    }

    /// Returns the body's bytes.
    public func serializing(
        _ type: Data.Type, preprocessor: any DataPreprocessor = .passthrough
    ) -> ResponseTask<Data> {
        own(DataSerializer(preprocessor: preprocessor))
    }

    /// Ignores the body: the value only shows that the request has succeeded.
    public func serializing(_ type: Empty.Type) -> ResponseTask<Empty> {
        own(EmptySerializer())
    }

    /// Parses the body as an untyped property list.
    public func serializing(_ type: PropertyList.Type) -> ResponseTask<PropertyList> {
        own(PropertyListSerializer())
    }

    /// Serializes the response with the given serializer.
    public func serializing<Serializer: ResponseSerializer>(
        using serializer: Serializer
    ) -> ResponseTask<Serializer.Value> {
        ResponseTask(self, serializer, (serializer as? any PlacedSerializer)?.place ?? .apart)
    }

    private func own<Serializer: PlacedSerializer>(_ serializer: Serializer) -> ResponseTask<
        Serializer.Value
    > {
        ResponseTask(self, serializer, serializer.place)
    }

    /// Serializes the response with a closure, which runs on a thread that it may block.
    public func serializing<Value: Sendable>(
        _ serialize: @escaping @Sendable (RawResponse) async throws -> Value
    ) -> ResponseTask<Value> {
        ResponseTask(self, ClosureSerializer(serialize), .apart)
    }

    /// Decodes the body on the caller's actor: for types whose `Decodable` conformance is isolated to it.
    ///
    /// - Throws: ``AsyncNetError``, as ``ResponseTask/value`` does.
    public func decode<Value: Decodable>(
        _ type: Value.Type, using decoder: any DataDecoder = StandardJSONDecoder()
    ) async throws(AsyncNetError) -> Value {
        let outcome = await engine.transferOutcome()
        if let error = outcome.error { throw error }
        guard let data = outcome.data, !data.isEmpty else {
            throw AsyncNetError(.emptyBody).with(outcome.errorContext)
        }
        do {
            return try decoder.decode(type, from: data)
        } catch {
            throw AsyncNetError(decoding: type, error).with(outcome.errorContext)
        }
    }
}

/// A request and the serializer of its response.
///
/// Making a response task sends nothing; awaiting ``value``, ``result`` or ``response`` starts the request unless it
/// has started, waits for its outcome and serializes it. Each await serializes again, but the response is transferred
/// once.
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

    /// The value that the serializer makes of the response.
    ///
    /// - Throws: ``AsyncNetError``; `.cancelled` if the request or the awaiting task was cancelled, also while a
    ///   serializer of the user's runs or a body of 64 KiB and more is serialized. A status such as 404 is an error
    ///   only with a validator, see ``Request/validate()``.
    public var value: Value {
        get async throws(AsyncNetError) {
            try await result.get()
        }
    }

    /// The value or the error.
    public var result: Result<Value, AsyncNetError> {
        get async { await serialize(await request.engine.transferOutcome()) }
    }

    /// The value or the error, with everything known of request and response; never throws.
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

    /// Runs on no actor, so that serializing a large body blocks neither the session nor the caller's actor.
    @concurrent
    private func serialize(_ outcome: TransferOutcome) async -> Result<Value, AsyncNetError> {
        if let error = outcome.error { return .failure(error) }
        guard let response = outcome.rawResponse else {
            return .failure(Self.error(AsyncNetError(.badServerResponse), outcome))
        }
        do {
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
