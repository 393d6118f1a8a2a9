public import Foundation

/// Turns a whole response into a value: one async function.
///
///     struct CSV: ResponseSerializer {
///         func serialize(_ response: RawResponse) async throws -> [[String]] {
///             String(decoding: response.data, as: UTF8.self).split(separator: "\n").map { $0.components(separatedBy: ",") }
///         }
///     }
///     let rows = try await session.request(url).serializing(using: CSV()).value
///
/// It runs after the transfer has ended and every validator has accepted, never inside the session or the request, in a
/// task of its own, on a thread that it may block. Cancelling the task that waits for the value ends that wait at once;
/// the serializer's task is cancelled too, and ends by itself. An `AsyncNetError` it throws reaches the caller as it
/// is; other errors become `.decodingFailed` with the error underneath.
public protocol ResponseSerializer<Value>: Sendable {
    associatedtype Value: Sendable

    func serialize(_ response: RawResponse) async throws -> Value
}

/// A serializer made of a closure.
public struct ClosureSerializer<Value: Sendable>: ResponseSerializer {
    private let body: @Sendable (RawResponse) async throws -> Value

    public init(_ body: @escaping @Sendable (RawResponse) async throws -> Value) { self.body = body }

    public func serialize(_ response: RawResponse) async throws -> Value { try await body(response) }
}

/// Tries several serializers in order; the first that succeeds gives the value.
///
/// If all fail, the error is `.decodingFailed` with every reason in its message and the last error underneath.
public struct CompoundSerializer<Value: Sendable>: ResponseSerializer {
    private let serializers: [any ResponseSerializer<Value>]

    public init(_ serializers: [any ResponseSerializer<Value>]) { self.serializers = serializers }
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
    func preprocess(_ data: Data) throws -> Data
}

/// Leaves a body as it is.
public struct PassthroughPreprocessor: DataPreprocessor {
    public init() {}
    public func preprocess(_ data: Data) -> Data { data }
}

/// Drops the line `)]}',` that some services put before JSON, so that no page can load it as a script.
public struct GoogleXSSIPreprocessor: DataPreprocessor {
    public init() {}

    public func preprocess(_ data: Data) -> Data {
        let prefix = Data(")]}',\n".utf8)
        return data.starts(with: prefix) ? Data(data.dropFirst(prefix.count)) : data
    }
}

extension DataPreprocessor where Self == PassthroughPreprocessor {
    public static var passthrough: Self { PassthroughPreprocessor() }
}

extension DataPreprocessor where Self == GoogleXSSIPreprocessor {
    public static var googleXSSI: Self { GoogleXSSIPreprocessor() }
}
