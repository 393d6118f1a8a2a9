public import AsyncNet
import AsyncNetHTTPTypes
public import Foundation
public import HTTPTypes
public import OpenAPIRuntime

/// Sends the requests of a client that swift-openapi-generator has made.
///
///     let client = Client(serverURL: try Servers.Server1.url(), transport: AsyncNetTransport(session: session))
///     let pets = try await client.listPets(query: .init(limit: 10)).ok.body.json
///
/// The session's headers, interceptors, limits, cookies, redirects and monitors apply to every operation. Bodies stream
/// both ways: a request's body is read as fast as the network accepts it, a response's is received as fast as it is
/// read, and both may happen at the same time. The generated code gets a response with any status.
///
/// Cancelling the task of an operation ends its request with `CancellationError`, before the response and while a body
/// is read. Releasing a response's body that is not read, or leaving a loop over it, cancels the request too.
public struct AsyncNetTransport: ClientTransport {
    private let session: Session
    private let options: @Sendable (_ operationID: String) -> RequestOptions

    /// Makes a transport.
    ///
    /// - Parameters:
    ///   - session: Sends the requests; `Session.shared` by default.
    ///   - options: The policies and limits of an operation, by its `operationId` in the OpenAPI document; the
    ///     session's by default.
    public init(
        session: Session = .shared,
        options: @escaping @Sendable (_ operationID: String) -> RequestOptions = { _ in RequestOptions() }
    ) {
        self.session = session
        self.options = options
    }

    /// Sends the request of an operation, and returns when the response's head has arrived.
    ///
    /// - Parameters:
    ///   - request: Method, path with query, and fields. Of `Content-Length` and `Transfer-Encoding` the body decides.
    ///   - body: The request's body. A body that can be iterated several times can be sent again, for a redirect, a
    ///     challenge or a retry; one of at most 64 KiB of known length is read before the request is sent.
    ///   - baseURL: The server's URL; the request's path is appended to its path. Its own query is not sent. Without a
    ///     host it is resolved against the session's base URL.
    ///   - operationID: The operation's identifier.
    /// - Returns: The head, and the body, which can be iterated once. No body for HEAD, 204, 205 and 304. The body's
    ///   length is known if the response has a `Content-Length` and no `Content-Encoding`.
    /// - Throws: `AsyncNetError` if the request ended without a response; `CancellationError` if the task is cancelled.
    public func send(
        _ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String
    ) async throws -> (HTTPResponse, HTTPBody?) {
        try Task.checkCancellation()
        do {
            let url = try OperationURL(path: request.path, of: baseURL)
            let stream = session.stream(
                url, method: HTTPMethod(rawValue: request.method.rawValue), body: try await RequestBody(body),
                headers: try HTTPHeaders(request.headerFields), options: options(operationID))
            let response = try HTTPResponse(await stream.head)
            return (response, HTTPBody(stream.chunks, of: response, to: request.method))
        } catch {
            throw error.asThrownToClients
        }
    }
}

extension Error {
    /// `CancellationError` in place of AsyncNet's error once the task is cancelled; otherwise this error.
    var asThrownToClients: any Error {
        let isCancel = (self as? AsyncNetError)?.code == .cancelled && Task.isCancelled
        return isCancel ? CancellationError() : self
    }
}
