public import Foundation

/// Returns the body's bytes; by default the body may be empty.
struct DataSerializer: ResponseSerializer, PlacedSerializer {
    var preprocessor: any DataPreprocessor = .passthrough
    var emptyBodies = EmptyBodies.all
    var place: SerializerPlace {
        type(of: preprocessor) == PassthroughPreprocessor.self ? .here : preprocessor.isOwn ? .hereIfSmall : .apart
    }

    func serialize(_ response: RawResponse) async throws -> Data {
        try emptyBodies.check(response)
        return try preprocessor.preprocess(response.data)
    }
}

/// Returns the value of another serializer, or `nil` for a response without a body.
struct OptionalSerializer<Base: PlacedSerializer>: ResponseSerializer, PlacedSerializer {
    let base: Base
    let emptyBodies: EmptyBodies
    var place: SerializerPlace { base.place }

    func serialize(_ response: RawResponse) async throws -> Base.Value? {
        guard response.data.isEmpty else { return try await base.serialize(response) }
        try emptyBodies.check(response)
        return nil
    }
}

/// Ignores the body, and always succeeds.
struct EmptySerializer: ResponseSerializer, PlacedSerializer {
    var place: SerializerPlace { .here }
    func serialize(_ response: RawResponse) async throws -> NoContent { .emptyValue }
}

/// Decodes the body as ``JSON``; `null` for a response that may have no body and has none.
struct JSONSerializer: ResponseSerializer, PlacedSerializer {
    var preprocessor: any DataPreprocessor = .passthrough
    var emptyBodies = EmptyBodies()
    var place: SerializerPlace { preprocessor.isOwn ? .hereIfSmall : .apart }

    func serialize(_ response: RawResponse) async throws -> JSON {
        guard !response.data.isEmpty else {
            guard emptyBodies.allow(response) else { throw AsyncNetError(.emptyBody) }
            return .null
        }
        return try JSON(data: preprocessor.preprocess(response.data))
    }
}

/// Decodes data as a type: `JSONDecoder`, `PropertyListDecoder`, or a type of the user's.
public protocol DataDecoder: Sendable {
    /// Decodes a value.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}

/// Decodes the body as a `Decodable` type, with any decoder.
///
/// For a response that may have no body and has none, the type must be an ``EmptyResponse``. With a decoder of this
/// library or of Foundation, a body of less than 64 KiB is decoded in the task that waits for the value, so the type's
/// `init(from:)` must not block its thread.
public struct DecodableSerializer<Value: Decodable & Sendable>: ResponseSerializer, PlacedSerializer {
    private let decoder: any DataDecoder
    private let preprocessor: any DataPreprocessor
    private let emptyBodies: EmptyBodies
    var place: SerializerPlace { decoder.isOwn && preprocessor.isOwn ? .hereIfSmall : .apart }

    /// Creates a serializer, by default with ``StandardJSONDecoder``.
    public init(
        _ type: Value.Type = Value.self, decoder: any DataDecoder = StandardJSONDecoder(),
        preprocessor: any DataPreprocessor = .passthrough, emptyBodies: EmptyBodies = EmptyBodies()
    ) {
        self.decoder = decoder
        self.preprocessor = preprocessor
        self.emptyBodies = emptyBodies
    }

    public func serialize(_ response: RawResponse) async throws -> Value {
        guard !response.data.isEmpty else { return try emptyBodies.value(for: response) }
        let data = try preprocessor.preprocess(response.data)
        do {
            return try decoder.decode(Value.self, from: data)
        } catch {
            throw AsyncNetError(decoding: Value.self, error, from: data)
        }
    }
}
