import Foundation

/// One transfer of a ``SocketTransport``, which a ``TransferCarrier`` carries.
///
/// Unchecked: the variables are used only under the loop's lock; every other property is constant.
final class SocketTransfer: @unchecked Sendable, Equatable {
    let request: TransportRequest
    let setup: SocketSetup
    let loop: SocketLoop
    let route: ConnectionRoute
    let pipe: TransferPipe
    /// The request target, in absolute form for a proxy that passes the request on (RFC 9112 §3.2.2).
    let target: String
    /// The body, unless it is in memory.
    let body: MeasuredBody?
    let bodyLength: Int64?
    /// Makes the task of a body's sequence, with the task-local values of the request's task; `nil` without a sequence.
    let tasks: Mailbox?
    let start = ContinuousClock.now

    /// Whether the transfer has begun, and has no outcome yet.
    var isRunning = false
    /// The connection that carries the transfer; `nil` while the transfer waits. A closed connection lives on while it
    /// has a response for a suspended request.
    var carrier: (any TransferCarrier)?
    var isQueued = false
    var restarts = 0
    /// How many times the transfer was sent again after a proxy's challenge.
    var answers = 0

    init(
        _ request: TransportRequest, to url: String, _ setup: SocketSetup, _ loop: SocketLoop
    ) throws(AsyncNetError) {
        let (endpoint, target) = try ServerEndpoint.parse(url)
        (self.request, self.setup, self.loop) = (request, setup, loop)
        route = try setup.route(to: endpoint, request.addresses)
        switch request.body.content {
        case .none: (body, bodyLength) = (nil, nil)
        case .data(let data): (body, bodyLength) = (nil, Int64(data.count))
        case .file, .stream, .multipart, .compressed:
            let measured = try MeasuredBody(request.body)
            (body, bodyLength) = (measured, measured.length)
        }
        tasks = body?.isReadableAtOnce == false ? Mailbox.withTaskLocals() : nil
        if request.head.method == .head, !request.body.isNone {
            throw AsyncNetError(.unsupportedByTransport, "A HEAD request cannot have a body")
        }
        self.target = route.isForwarded ? "http://\(endpoint.authority)\(target)" : target
        pipe = TransferPipe(request.delivery, limit: request.maximumBodySize, isUrgent: request.isUrgent)
    }

    /// The head as it is sent over HTTP/1.1, but for the credentials for a proxy that passes it on.
    var http1Head: [UInt8] {
        let framing: HTTP1RequestHead.Body =
            request.body.isNone ? .none : bodyLength.map(HTTP1RequestHead.Body.length) ?? .chunked
        return HTTP1RequestHead.bytes(
            request.head, target: target, authority: route.endpoint.authority, isForwarded: route.isForwarded, framing)
    }

    /// Whether the body can be sent from its start again.
    var canReplay: Bool { request.body.replay != .once }
    /// Whether the first connection must be a new one: a kept connection may be lost, and the body sent only once.
    var wantsNewConnection: Bool { !canReplay || request.needsNewConnection }

    var expectsContinue: Bool {
        !request.body.isNone && bodyLength != 0 && request.head.headers["Expect"]?.lowercased() == "100-continue"
    }

    static func == (one: SocketTransfer, other: SocketTransfer) -> Bool { one === other }
}

/// A connection that carries transfers.
protocol TransferCarrier: AnyObject {
    /// Called when the reader has taken bytes, the request's body has more, or the request is no longer suspended.
    func resume(_ transfer: SocketTransfer)
    func cancel(_ transfer: SocketTransfer)
}
