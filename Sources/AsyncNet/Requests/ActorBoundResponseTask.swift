/// A request whose response's body is decoded on the actor of the caller that awaits it.
///
/// Made by ``SerializableRequest/serializing(_:decoder:)`` for types whose `Decodable` conformance is isolated to an
/// actor. It has only ``value`` and ``result``, and cannot be used in `async let` or child tasks: declare the decoded
/// type `nonisolated` for a ``ResponseTask``, which has all of these.
public struct ActorBoundResponseTask<Value: Decodable> {
    /// The request whose response is decoded.
    public var request: any Request { engine.target.handle(of: engine) }
    private let engine: RequestEngine
    private let decoder: any DataDecoder

    init(_ engine: RequestEngine, _ decoder: (any DataDecoder)?) {
        (self.engine, self.decoder) = (engine, decoder ?? engine.environment.configuration.decoder)
        engine.serializerIsMade()
    }

    /// The decoded value.
    ///
    /// - Throws: ``AsyncNetError``, as a ``ResponseTask`` does.
    @_disfavoredOverload
    public var value: Value {
        get async throws(AsyncNetError) {
            let outcome = await engine.transferOutcome()
            if let error = outcome.error { throw error }
            do {
                guard var response = outcome.rawResponse else { throw AsyncNetError(.badServerResponse) }
                if case .file(let file) = engine.target { response = try await file.response(response) }
                guard !response.data.isEmpty else { return try EmptyBodies().value(for: response) }
                return try decoder.decode(Value.self, from: response.data)
            } catch {
                throw AsyncNetError(decoding: Value.self, error).with(outcome.errorContext)
            }
        }
    }

    /// The decoded value, or the error.
    public var result: Result<Value, AsyncNetError> {
        get async {
            do throws(AsyncNetError) { return .success(try await value) } catch { return .failure(error) }
        }
    }
}
