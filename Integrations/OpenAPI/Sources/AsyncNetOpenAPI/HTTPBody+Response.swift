import AsyncNet
import Foundation
import HTTPTypes
import OpenAPIRuntime

extension HTTPBody {
    /// The body of a response to a request with this method; `nil` if it has none (RFC 9110 §6.4.1).
    convenience init?(_ chunks: StreamChunks, of response: HTTPResponse, to method: HTTPRequest.Method) {
        guard method != .head, ![204, 205, 304].contains(response.status.code) else { return nil }
        self.init(ResponseChunks(chunks: chunks), length: response.bodyLength, iterationBehavior: .single)
    }
}

extension HTTPResponse {
    /// The length of the decoded body.
    fileprivate var bodyLength: HTTPBody.Length {
        guard headerFields[.contentEncoding] == nil, headerFields[.transferEncoding] == nil,
            let length = headerFields[.contentLength].flatMap(Int64.init), length >= 0
        else { return .unknown }
        return .known(length)
    }
}

/// The chunks of a response as they arrive, with `CancellationError` when the task is cancelled.
private struct ResponseChunks: AsyncSequence, Sendable {
    let chunks: StreamChunks

    func makeAsyncIterator() -> Iterator { Iterator(chunks: chunks.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        var chunks: StreamChunks.Iterator

        mutating func next() async throws -> ArraySlice<UInt8>? {
            do {
                return try await chunks.next().map { ArraySlice($0) }
            } catch {
                throw error.asThrownToClients
            }
        }
    }
}
