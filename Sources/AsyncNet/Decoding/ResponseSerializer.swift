public import Foundation

/// Converts a complete response to a value.
///
///     struct CSV: ResponseSerializer {
///         func serialize(_ response: RawResponse) async throws -> [[Substring]] {
///             String(decoding: response.data, as: UTF8.self).split(separator: "\n").map { $0.split(separator: ",") }
///         }
///     }
///     let rows = try await session.request(url).serializing(using: CSV()).value
///
/// Runs after the transfer has ended and every validator has accepted the response, in a task of its own, on a thread
/// that it may block. Cancelling the task that waits for the value ends the wait at once and cancels the serializer's
/// task. An `AsyncNetError` is thrown unchanged; any other error becomes the cause of `.decodingFailed`.
public protocol ResponseSerializer<Value>: Sendable {
    /// The type of value.
    associatedtype Value: Sendable

    /// Converts the response to a value.
    func serialize(_ response: RawResponse) async throws -> Value
}

/// A serializer made of a closure.
public struct ClosureSerializer<Value: Sendable>: ResponseSerializer {
    private let body: @Sendable (RawResponse) async throws -> Value

    /// Creates a serializer.
    public init(_ body: @escaping @Sendable (RawResponse) async throws -> Value) { self.body = body }

    public func serialize(_ response: RawResponse) async throws -> Value { try await body(response) }
}

/// Tries several serializers in order, and returns the first value that a serializer makes.
///
/// If all serializers fail, the error is `.decodingFailed`, with every reason in its message and the last error as the
/// underlying error.
public struct CompoundSerializer<Value: Sendable>: ResponseSerializer {
    private let serializers: [any ResponseSerializer<Value>]

    /// Creates a serializer that tries these serializers in order.
    public init(_ serializers: any ResponseSerializer<Value>...) { self.serializers = serializers }

    public func serialize(_ response: RawResponse) async throws -> Value {
        var errors: [AsyncNetError] = []
        for serializer in serializers {
            do {
                return try await serializer.serialize(response)
            } catch {
                errors.append(AsyncNetError(decoding: Value.self, error))
            }
        }
        let reasons = errors.map(\.message).joined(separator: "; ")
        throw AsyncNetError(
            .decodingFailed, "None of \(serializers.count) serializers could read the body (\(reasons))",
            underlyingError: errors.last)
    }
}

/// Changes a body before it is serialized.
public protocol DataPreprocessor: Sendable {
    /// Returns the body to serialize. An error ends the request with `.decodingFailed`.
    func preprocess(_ data: Data) throws -> Data
}

/// Does not change the body.
public struct PassthroughPreprocessor: DataPreprocessor {
    public func preprocess(_ data: Data) -> Data { data }
}

/// Removes the line `)]}',` that some services send before JSON, so that scripts of web pages cannot read the JSON.
public struct GoogleXSSIPreprocessor: DataPreprocessor {
    public func preprocess(_ data: Data) -> Data {
        let prefix = Data(")]}',\n".utf8)
        return data.starts(with: prefix) ? Data(data.dropFirst(prefix.count)) : data
    }
}

extension DataPreprocessor where Self == PassthroughPreprocessor {
    /// Does not change the body.
    public static var passthrough: Self { PassthroughPreprocessor() }
}

extension DataPreprocessor where Self == GoogleXSSIPreprocessor {
    /// Removes the line `)]}',` before JSON.
    public static var googleXSSI: Self { GoogleXSSIPreprocessor() }
}
