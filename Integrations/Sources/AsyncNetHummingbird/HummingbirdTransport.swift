public import AsyncNet
import AsyncNetHTTPTypes
import Foundation
import HTTPTypes
public import Hummingbird
import HummingbirdCore
import Logging
import NIOEmbedded

/// Calls a Hummingbird application in this process, without sockets: for tests of clients and of the application.
///
///     let app = Application(router: router)
///     let session = Session(transport: try await HummingbirdTransport(app))
///     let user = try await session.get("http://localhost/users/1").serializing(User.self).value
///
/// Each request, to whatever host, goes through the application's middlewares to its handlers. Bodies stream both ways,
/// as fast as their reader reads. The handler's task is cancelled when the request is, or when nobody can read the
/// response any more. It sees the task-local values of the task that starts the request, such as the network of a test,
/// but neither `TraceContext.current` nor `ServiceContext.current`, which a server would not have.
///
/// As with a server, an error that is no `HTTPResponseError` becomes a response with status 500. The application's
/// services do not run, responses have no `Date` and `Server`, and its context has a channel without addresses.
/// `RequestBody.consumeWithInboundCloseHandler` and `consumeWithCancellationOnInboundClose` need a connection, and stop
/// the program.
public struct HummingbirdTransport: Transport {
    private let respond: @Sendable (HummingbirdCore.Request) async -> Response

    /// A transport to an application.
    ///
    /// - Throws: The error of the application's `responder`.
    public init(_ application: some ApplicationProtocol) async throws {
        let responder = try await application.responder
        let applicationLogger = application.logger
        respond = { request in
            var logger = applicationLogger
            logger[metadataKey: "hb.request.id"] = .stringConvertible(Hummingbird.RequestID())
            return await withLogger(logger) { logger in
                do {
                    let source = ApplicationRequestContextSource(channel: NIOAsyncTestingChannel(), logger: logger)
                    return try await responder.respond(to: request, context: .init(source: source))
                } catch {
                    logger.debug("Unrecognised Error", metadata: ["error.type": "\(error)"])
                    return Response(status: .internalServerError)
                }
            }
        }
    }

    /// `true`, since nothing is connected to.
    public var judgesAddresses: Bool { true }

    /// Calls the application, and returns its response with the body that it writes.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        var head = try HTTPRequest(request.head)
        if head.headerFields[.contentLength] == nil, let length = request.body.length {
            head.headerFields[.contentLength] = "\(length)"
        }
        let respond = respond
        let exchange = ApplicationExchange { [head] parts in
            await IncomingRequest.leave {
                let body = HummingbirdCore.RequestBody(asyncSequence: UploadedBuffers(request, noting: parts))
                await parts.send(respond(HummingbirdCore.Request(head: head, body: body)), for: request)
            }
        }
        request.onEvent?(.started)
        return try await exchange.response(to: request)
    }
}
