import Foundation

struct StreamDecoding: Sendable {
    let decoder: any DataDecoder
    /// The stream's request, for errors; `nil` if it is not known.
    let context: (@Sendable () -> AsyncNetError.Context)?

    init(_ request: RequestEngine, _ decoder: (any DataDecoder)?) {
        self.decoder = decoder ?? request.environment.configuration.decoder
        context = { [record = request.record] in record.outcome(nil).errorContext }
    }

    init(_ event: ServerSentEvent, _ decoder: (any DataDecoder)?) {
        self.decoder = decoder ?? event.stream.decoder ?? StandardJSONDecoder()
        context = event.stream.context
    }

    /// Decodes the closure's data, on a thread that the decoder may block if it may take long. Errors name `subject`.
    func value<Value: Decodable & Sendable>(
        _ type: Value.Type, in subject: String, _ data: () throws -> Data
    ) async throws -> Value {
        do {
            let data = try data()
            let place = decoder.isOwn ? SerializerPlace.hereIfSmall : .apart
            if place.isHere(data) { return try decoder.decode(type, from: data) }
            return try await UserCode.runAbandonably { [decoder] in try decoder.decode(type, from: data) }
        } catch {
            throw failure(error, type, subject, try? data())
        }
    }

    func valueHere<Value: Decodable>(
        _ type: Value.Type, in subject: String, _ data: () throws -> Data
    ) throws(AsyncNetError) -> Value {
        do { return try decoder.decode(type, from: data()) } catch { throw failure(error, type, subject, try? data()) }
    }

    private func failure<Value: Decodable>(
        _ error: any Error, _ type: Value.Type, _ subject: String, _ data: Data?
    ) -> AsyncNetError {
        var context = self.context?() ?? AsyncNetError.Context()
        guard !(error is CancellationError), (error as? AsyncNetError)?.code != .cancelled else {
            return AsyncNetError(.cancelled).with(context)
        }
        context.keep(data)
        return AsyncNetError(decoding: type, error, from: data ?? Data(), in: subject).with(context)
    }
}
