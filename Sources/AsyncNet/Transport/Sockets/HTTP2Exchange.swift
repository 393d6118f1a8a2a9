import Foundation

/// One transfer on a connection over HTTP/2. Used only under its loop's lock.
final class HTTP2Exchange {
    let transfer: SocketTransfer
    let stream: HTTP2Stream
    let sender: HTTP2Sender
    let delivery: ResponseDelivery
    let restarts: Int
    let isFirst: Bool
    let started: ContinuousClock.Instant
    /// Where the request's head begins among all bytes that the connection sends.
    let place: Int
    /// How many bytes of the body have arrived and are not read.
    var unread = 0
    /// How many bytes the server was allowed to send because others were read.
    var credited: Int64 = 0
    /// Whether the reader does not take bytes now, or the request is suspended.
    var isPaused = false
    var hasNews = false
    /// The transfer's result, which is delivered when the suspended request goes on.
    var result: Result<Void, AsyncNetError>?
    var continueTimer: LoopTimers.ID?
    var rateTimer: LoopTimers.ID?

    init(
        _ transfer: SocketTransfer, _ stream: HTTP2Stream, _ engine: SocketEngine, restarts: Int, isFirst: Bool,
        place: Int
    ) {
        self.transfer = transfer
        self.stream = stream
        self.restarts = restarts
        (self.isFirst, self.place) = (isFirst, place)
        started = engine.thread.now
        sender = HTTP2Sender(transfer, engine.thread.loop)
        delivery = ResponseDelivery(transfer, engine.memory)
    }
}

extension SocketTransfer {
    func addHTTP2Fields(_ add: (_ name: String, _ value: String) -> Void) {
        HTTP2Fields.request(
            request.head, isTLS: route.endpoint.isTLS, target: target, authority: route.endpoint.authority,
            length: request.body.isNone ? 0 : bodyLength, add)
    }

    /// The head as observers read it, whose request line stands for the pseudo-header fields.
    var sentHTTP2Head: SentHead {
        var headers = HTTPHeaders()
        addHTTP2Fields { name, value in
            let isPseudo = name.utf8.first == UInt8(ascii: ":")
            if !isPseudo || name == ":authority" { headers.add(name: isPseudo ? "host" : name, value: value) }
        }
        return SentHead(requestLine: "\(request.head.method.rawValue) \(target) HTTP/2", headers: headers)
    }
}
