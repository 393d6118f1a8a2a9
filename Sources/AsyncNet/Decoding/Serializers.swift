public import Foundation

/// The body's bytes. An empty body is empty data.
public struct DataSerializer: ResponseSerializer {
    private let preprocessor: any DataPreprocessor

    public init(preprocessor: any DataPreprocessor = .passthrough) { self.preprocessor = preprocessor }

    public func serialize(_ response: RawResponse) async throws -> Data {
        try preprocessor.preprocess(response.data)
    }
}

/// Nothing: succeeds whatever the body.
public struct EmptySerializer: ResponseSerializer {
    public init() {}
    public func serialize(_ response: RawResponse) async throws -> Empty { .emptyValue }
}

/// The body as ``JSON``. A body that may be empty and is gives `null`.
public struct JSONSerializer: ResponseSerializer {
    private let preprocessor: any DataPreprocessor
    private let emptyBodies: EmptyBodies

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
/// A body that may be empty and is needs a type that is an ``EmptyResponse``.
public struct DecodableSerializer<Value: Decodable & Sendable>: ResponseSerializer {
    private let decoder: any DataDecoder
    private let preprocessor: any DataPreprocessor
    private let emptyBodies: EmptyBodies

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
