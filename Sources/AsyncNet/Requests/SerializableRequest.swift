public import Foundation

/// A request whose response's whole body can be made a value: a ``DataRequest``, or a ``DownloadRequest``, whose file
/// is read into memory for that.
///
/// Most functions make a ``ResponseTask``, whose documentation says when the request starts.
public protocol SerializableRequest: Request {}

extension SerializableRequest {
    /// Decodes the body as a `Decodable` type.
    ///
    /// Decoding runs on no actor, by default with the session's ``SessionConfiguration/decoder``, after the
    /// preprocessor has changed the body. `emptyBodies` are the responses that may have no body; their value must be
    /// an ``EmptyResponse``. For a type whose conformance is isolated to an actor, as in a module whose default
    /// isolation is the main actor, Swift chooses ``serializing(_:decoder:)``, which decodes on the caller's actor.
    public func serializing<Value: Decodable & Sendable>(
        _ type: Value.Type, decoder: (any DataDecoder)? = nil, preprocessor: any DataPreprocessor = .passthrough,
        emptyBodies: EmptyBodies = EmptyBodies()
    ) -> ResponseTask<Value> {
        own(
            DecodableSerializer(
                type, decoder: decoder ?? engine.environment.configuration.decoder, preprocessor: preprocessor,
                emptyBodies: emptyBodies))
    }

    /// Decodes the body on the caller's actor, as a type whose `Decodable` conformance is isolated to an actor. For a
    /// type that is not `Sendable` use ``decode(_:using:)``.
    @_disfavoredOverload
    public func serializing<Value: Decodable>(
        _ type: Value.Type, decoder: (any DataDecoder)? = nil
    ) -> ActorBoundResponseTask<Value> {
        ActorBoundResponseTask(engine, decoder)
    }

    /// Decodes the body on the caller's actor: for types whose `Decodable` conformance is isolated to it, and for types
    /// that are not `Sendable`.
    ///
    /// - Throws: ``AsyncNetError``, as a ``ResponseTask`` does.
    public func decode<Value: Decodable>(
        _ type: Value.Type, using decoder: (any DataDecoder)? = nil
    ) async throws(AsyncNetError) -> Value {
        try await ActorBoundResponseTask<Value>(engine, decoder).value
    }

    /// Parses the body as ``JSON``.
    public func serializing(
        _ type: JSON.Type, preprocessor: any DataPreprocessor = .passthrough, emptyBodies: EmptyBodies = EmptyBodies()
    ) -> ResponseTask<JSON> {
        own(JSONSerializer(preprocessor: preprocessor, emptyBodies: emptyBodies))
    }

    /// Decodes the body as text, in `encoding` if given, else in the charset of the `Content-Type`, else in UTF-8; by
    /// default every response may have no body.
    public func serializing(
        _ type: String.Type, encoding: String.Encoding? = nil, preprocessor: any DataPreprocessor = .passthrough,
        emptyBodies: EmptyBodies = .all
    ) -> ResponseTask<String> {
        own(StringSerializer(encoding: encoding, preprocessor: preprocessor, emptyBodies: emptyBodies))
    }

    /// Returns the body's bytes; by default every response may have no body.
    public func serializing(
        _ type: Data.Type, preprocessor: any DataPreprocessor = .passthrough, emptyBodies: EmptyBodies = .all
    ) -> ResponseTask<Data> {
        own(DataSerializer(preprocessor: preprocessor, emptyBodies: emptyBodies))
    }

    /// Decodes the body as text, as `String.self` does; `nil` for an empty body.
    public func serializing(
        _ type: String?.Type, encoding: String.Encoding? = nil, preprocessor: any DataPreprocessor = .passthrough,
        emptyBodies: EmptyBodies = .all
    ) -> ResponseTask<String?> {
        own(
            OptionalSerializer(
                base: StringSerializer(encoding: encoding, preprocessor: preprocessor), emptyBodies: emptyBodies))
    }

    /// Returns the body's bytes; `nil` for an empty body.
    public func serializing(
        _ type: Data?.Type, preprocessor: any DataPreprocessor = .passthrough, emptyBodies: EmptyBodies = .all
    ) -> ResponseTask<Data?> {
        own(OptionalSerializer(base: DataSerializer(preprocessor: preprocessor), emptyBodies: emptyBodies))
    }

    /// Ignores the body: the outcome only shows that the request has succeeded. A body is not expected, so
    /// `emptyBodies` changes nothing.
    public func serializing(_ type: NoContent.Type, emptyBodies: EmptyBodies = .all) -> ResponseTask<NoContent> {
        own(EmptySerializer())
    }

    /// Parses the body as an untyped property list.
    public func serializing(_ type: PropertyList.Type) -> ResponseTask<PropertyList> { own(PropertyListSerializer()) }

    /// Serializes the response with the given serializer.
    public func serializing<Serializer: ResponseSerializer>(
        using serializer: Serializer
    ) -> ResponseTask<Serializer.Value> {
        ResponseTask(engine, serializer, (serializer as? any PlacedSerializer)?.place ?? .apart)
    }

    /// Serializes the response with a closure, which runs on a thread that it may block.
    public func serializing<Value: Sendable>(
        _ serialize: @escaping @Sendable (RawResponse) async throws -> Value
    ) -> ResponseTask<Value> {
        ResponseTask(engine, ClosureSerializer(serialize), .apart)
    }

    private func own<Serializer: PlacedSerializer>(_ serializer: Serializer) -> ResponseTask<Serializer.Value> {
        ResponseTask(engine, serializer, serializer.place)
    }
}
