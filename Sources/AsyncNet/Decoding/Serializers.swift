public import Foundation

/// The body's bytes. An empty body is empty data.
public struct DataSerializer: ResponseSerializer, PlacedSerializer {
    private let preprocessor: any DataPreprocessor
    package var place: SerializerPlace {
        preprocessor is PassthroughPreprocessor ? .here : preprocessor.isOwn ? .hereIfSmall : .apart
    }

    public init(preprocessor: any DataPreprocessor = .passthrough) { self.preprocessor = preprocessor }

    public func serialize(_ response: RawResponse) async throws -> Data {
        try preprocessor.preprocess(response.data)
    }
}

/// Nothing: succeeds whatever the body.
public struct EmptySerializer: ResponseSerializer, PlacedSerializer {
    public init() {}
    package var place: SerializerPlace { .here }
    public func serialize(_ response: RawResponse) async throws -> Empty { .emptyValue }
}

/// The body as ``JSON``. A body that may be empty and is gives `null`.
public struct JSONSerializer: ResponseSerializer, PlacedSerializer {
    private let preprocessor: any DataPreprocessor
    private let emptyBodies: EmptyBodies
    package var place: SerializerPlace { preprocessor.isOwn ? .hereIfSmall : .apart }

    public init(preprocessor: any DataPreprocessor = .passthrough, emptyBodies: EmptyBodies = EmptyBodies()) {
        self.preprocessor = preprocessor
        self.emptyBodies = emptyBodies
    }

    public func serialize(_ response: RawResponse) async throws -> JSON {
        guard !response.data.isEmpty else {
            guard emptyBodies.allow(response) else { throw AsyncNetError(.emptyBody) }
            return .null
        }
        return try JSON(data: preprocessor.preprocess(response.data))
    }
}

/// What turns data into values: `JSONDecoder`, `PropertyListDecoder`, or one's own.
public protocol DataDecoder: Sendable {
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}

/// The body as a `Decodable` type, by any decoder.
///
/// A body that may be empty and is needs a type that is an ``EmptyResponse``. With this library's decoder or
/// Foundation's, a body of less than 64 KiB is decoded in the task that waits for the value, so the type's
/// `init(from:)` must not block its thread.
public struct DecodableSerializer<Value: Decodable & Sendable>: ResponseSerializer, PlacedSerializer {
    private let decoder: any DataDecoder
    private let preprocessor: any DataPreprocessor
    private let emptyBodies: EmptyBodies
    package var place: SerializerPlace { decoder.isOwn && preprocessor.isOwn ? .hereIfSmall : .apart }

    public init(
        _ type: Value.Type = Value.self, decoder: any DataDecoder = StandardJSONDecoder(),
        preprocessor: any DataPreprocessor = .passthrough, emptyBodies: EmptyBodies = EmptyBodies()
    ) {
        self.decoder = decoder
        self.preprocessor = preprocessor
        self.emptyBodies = emptyBodies
    }

    public func serialize(_ response: RawResponse) async throws -> Value {
        guard !response.data.isEmpty else { return try emptyValue(response) }
        let data = try preprocessor.preprocess(response.data)
        do {
            return try decoder.decode(Value.self, from: data)
        } catch {
            throw AsyncNetError(decoding: Value.self, error)
        }
    }

    private func emptyValue(_ response: RawResponse) throws(AsyncNetError) -> Value {
        guard emptyBodies.allow(response) else { throw AsyncNetError(.emptyBody) }
        guard let type = Value.self as? any EmptyResponse.Type, let value = type.emptyValue as? Value else {
            throw AsyncNetError(.emptyBody, "The response has no body, and \(Value.self) has no value for that")
        }
        return value
    }
}
