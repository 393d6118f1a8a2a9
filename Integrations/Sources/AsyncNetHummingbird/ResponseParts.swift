import AsyncAlgorithms
import AsyncNet
import AsyncNetHTTPTypes
import HTTPTypes
import Hummingbird
import NIOCore

extension ResponseParts {
    /// Sends the response's head, and runs the closure that writes its body.
    func send(_ response: Response, for request: TransportRequest) async {
        await send(.head(response.head))
        do {
            try await response.body.write(PartsWriter(parts: self, request: request))
            finish()
        } catch {
            // A server closes the connection.
            fail(AsyncNetError(.bodyEndedEarly, "The application's response body failed", underlyingError: error))
        }
    }
}

/// Writes a response's body for its reader.
private struct PartsWriter: ResponseBodyWriter {
    let parts: ResponseParts
    let request: TransportRequest

    func write(_ buffer: ByteBuffer) async throws {
        guard buffer.readableBytes > 0 else { return }
        await parts.send(.body(buffer))
        try Task.checkCancellation()
    }

    consuming func finish(_ trailers: HTTPFields?) async throws {
        guard let trailers else { return }
        request.onEvent?(.trailers(try HTTPHeaders(trailers)))
    }
}
