import AsyncAlgorithms
import AsyncNet
import AsyncNetHTTPTypes
import AsyncNetNIO
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// What an application writes, in order. Each part waits for its reader.
typealias ResponseParts = AsyncThrowingChannel<ResponsePart, any Error>

/// A part of an application's response.
enum ResponsePart: Sendable {
    case head(HTTPResponse)
    case body(ByteBuffer)
}

/// A request that an application responds to, in a task that ends at the latest when nobody holds the exchange.
final class ApplicationExchange: Sendable {
    let parts = ResponseParts()
    private let task: Task<Void, Never>

    /// Runs the application, which writes the parts of its response.
    init(_ application: @escaping @Sendable (ResponseParts) async -> Void) {
        task = Task { [parts] in await application(parts) }
    }

    deinit { task.cancel() }

    /// The next part; `nil` at the end of the response, or if the reader is cancelled.
    func next() async throws -> ResponsePart? {
        var parts = parts.makeAsyncIterator()
        return try await parts.next()
    }

    /// Waits for the head of the response.
    func response(to request: TransportRequest) async throws -> TransportResponse {
        guard case .head(let response)? = try await next() else { throw CancellationError() }
        let head = try HTTPResponseHead(response, url: request.head.url)
        let body = response.hasBody(answering: request) ? TransportBody(DownloadedChunks(exchange: self)) : .empty
        return TransportResponse(head: head, body: body, isContentDecoded: false)
    }
}

extension TransportBody {
    fileprivate static var empty: TransportBody { TransportBody(Data()) }
}

extension HTTPResponse {
    /// Whether a body follows the head (RFC 9110 §6.4.1).
    fileprivate func hasBody(answering request: TransportRequest) -> Bool {
        request.head.method != .head && ![204, 304].contains(status.code)
    }
}

/// The body of a response, as the application writes it.
private struct DownloadedChunks: AsyncSequence, Sendable {
    let exchange: ApplicationExchange

    func makeAsyncIterator() -> Iterator { Iterator(exchange: exchange) }

    struct Iterator: AsyncIteratorProtocol {
        /// Held, since releasing it cancels the application's task.
        let exchange: ApplicationExchange

        func next() async throws -> Data? {
            if case .body(let buffer)? = try await exchange.next() { return buffer.data }
            try Task.checkCancellation()
            return nil
        }
    }
}
