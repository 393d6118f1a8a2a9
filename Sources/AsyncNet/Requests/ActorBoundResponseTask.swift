import Foundation

/// A request whose response's body is decoded on the actor of the caller that awaits it.
///
/// Made by ``DataRequest/serializing(_:decoder:)`` for types that must not leave their actor.
public struct ActorBoundResponseTask<Value: Decodable> {
    /// The request whose response is decoded.
    public let request: any Request
    private let decoder: any DataDecoder
    /// The file with the body, if the request is a download.
    private let file: DownloadSink?

    init(_ request: some Request, _ decoder: (any DataDecoder)?, readingFrom file: DownloadSink? = nil) {
        (self.request, self.decoder, self.file) = (request, request.engine.decoder(decoder), file)
        request.engine.serializerIsMade()
    }

    /// The decoded value.
    ///
    /// - Throws: ``AsyncNetError``, as a ``ResponseTask`` does.
    @_disfavoredOverload
    public var value: Value {
        get async throws(AsyncNetError) {
            let outcome = await request.engine.transferOutcome()
            if let error = outcome.error { throw error }
            do {
                guard let data = try await body(of: outcome), !data.isEmpty else { throw AsyncNetError(.emptyBody) }
                return try decoder.decode(Value.self, from: data)
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

    private func body(of outcome: TransferOutcome) async throws -> Data? {
        guard let file, let response = outcome.rawResponse else { return outcome.data }
        return try await file.response(response).data
    }
}
