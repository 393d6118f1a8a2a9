/// Moves the bytes of one HTTP exchange: one request out, one response in.
///
/// A transport follows no redirect, answers no 401, stores no cookie, caches nothing and repeats nothing: all of that
/// happens above it, once, the same for every transport. To write one, return the response's head as soon as it is
/// there, with a body that delivers its bytes as they arrive:
///
///     struct Echo: Transport {
///         func send(_ request: TransportRequest) async throws -> TransportResponse {
///             TransportResponse(
///                 head: HTTPResponseHead(statusCode: 200, url: request.head.url),
///                 body: TransportBody(request.body.data ?? Data()))
///         }
///     }
///
/// Cancelling the task that awaits `send` or the next chunk must end the transfer at once; so must dropping the body.
/// An `AsyncNetError` that is thrown reaches the caller as it is, any other error becomes `.transportFailed`.
public protocol Transport: Sendable {
    /// Sends the request and returns once the final response's head has arrived. Timeouts are the caller's.
    func send(_ request: TransportRequest) async throws -> TransportResponse

    /// Lets running transfers end, then frees connections. No `send` follows. Does nothing by default.
    func shutdown() async

    /// Which transport this is, for logs and people; its type's name by default.
    var transportDescription: String { get }
}

extension Transport {
    public func shutdown() async {}
    public var transportDescription: String { "\(Self.self)" }
}

/// One request as a transport gets it: checked, adapted, complete.
public struct TransportRequest: Sendable {
    public var head: HTTPRequestHead
    public var body: RequestBody

    /// How long the server may be silent, in place of the session's timeout.
    package var timeout: Duration?

    /// Whether the request is suspended; a transport that can pause does.
    package var hold: TransferHold?

    /// How many bytes of body are taken once decoded. A transport may end a longer one with `.bodyTooLarge` before they
    /// are in memory; what it does not, is ended above it.
    public var maximumBodySize: Int64?

    /// Whether the caller reads the body as it arrives or only wants the whole.
    public var delivery = Delivery.asItArrives

    /// Whether a head with a status below 300 is to be delivered at once all the same, though ``Delivery/whole`` is
    /// wanted.
    package var isUrgent: (@Sendable (HTTPResponseHead) -> Bool)?

    /// Told of what happens besides head and body, in order. It must return at once.
    public var onEvent: (@Sendable (TransportEvent) -> Void)?

    /// How the response's body is read.
    public enum Delivery: Sendable {
        /// The head and each chunk are waited for as soon as they can be there.
        case asItArrives
        /// Nothing is looked at before the body is whole. A transport may wait with the head until then, or until it
        /// would have to pause, and spare the reader from waking for each part; meanwhile it tells of `.receivedBody`.
        /// A head with a status from 300 on is better delivered at once: what follows it may be of no interest.
        case whole
    }

    public init(
        head: HTTPRequestHead, body: RequestBody = .none, onEvent: (@Sendable (TransportEvent) -> Void)? = nil
    ) {
        self.head = head
        self.body = body
        self.onEvent = onEvent
    }
}

/// The answer to one request.
public struct TransportResponse: Sendable {
    public var head: HTTPResponseHead
    public var body: TransportBody
    /// Whether the body is as it was before its `Content-Encoding` was applied. What a transport leaves encoded is
    /// decoded above it.
    public var isContentDecoded: Bool

    public init(head: HTTPResponseHead, body: TransportBody, isContentDecoded: Bool = true) {
        self.head = head
        self.body = body
        self.isContentDecoded = isContentDecoded
    }

    /// The same with its content codings undone; each chunk is at most 64 KiB then, and comes as it is read.
    package var decoded: TransportResponse {
        guard !isContentDecoded, head.value(for: "Content-Encoding") != nil else { return self }
        let codings = Result { () throws(AsyncNetError) in
            try ContentDecoding.codings(in: head.headers.values(for: "Content-Encoding"))
        }
        if case .success(let codings) = codings, codings.isEmpty { return self }
        let body = TransportBody(
            DecodedChunks(codings: codings) { [body] in
                var iterator = body.makeAsyncIterator()
                return { try await iterator.next() }
            })
        return TransportResponse(head: head, body: body)
    }
}

/// What a transport tells beside head and body. More cases may come.
public enum TransportEvent: Sendable {
    /// The transfer waits its turn inside the transport; until the next event silence is not the server's.
    case queued
    /// The transfer has begun.
    case started
    /// The transport sends the request again on another connection: the server had closed the kept one, or had said
    /// that it did not process the request there, before any byte of a response (RFC 9110 §9.2.2, RFC 9113 §6.8).
    case repeated
    /// A 1xx response other than 101 (RFC 9110 §15.2), where the transport sees them.
    case informational(HTTPResponseHead)
    /// The transport could send more of the request's body than it has been given; until the next event silence is not
    /// the server's.
    case awaitingBody
    /// How much of the body has been handed to the network in all, and of how much if that is known.
    case sentBody(bytes: Int64, total: Int64?)
    /// The response's head has arrived; told for ``TransportRequest/Delivery/whole``, where the head itself may come
    /// late.
    case receivedHead(HTTPResponseHead)
    /// How much of the body has arrived in all; told while a body is gathered for ``TransportRequest/Delivery/whole``.
    case receivedBody(bytes: Int64, HTTPResponseHead)
    /// Headers after the body (RFC 9110 §6.5), where the transport sees them.
    case trailers(HTTPHeaders)
    /// What the transport measured; told once, before the body ends.
    case metrics(TransportMetrics)
}

/// What a transport measured of one exchange; `nil` is what it cannot know.
public struct TransportMetrics: Sendable {
    /// Such as `HTTP/1.1` or `HTTP/2`.
    public var httpVersion: String?
    public var isConnectionReused: Bool?
    public var remoteAddress: String?
    public var timings: TransferTimings?
    public var wireBytes: WireBytes?

    public init(
        httpVersion: String? = nil, isConnectionReused: Bool? = nil, remoteAddress: String? = nil,
        timings: TransferTimings? = nil, wireBytes: WireBytes? = nil
    ) {
        self.httpVersion = httpVersion
        self.isConnectionReused = isConnectionReused
        self.remoteAddress = remoteAddress
        self.timings = timings
        self.wireBytes = wireBytes
    }
}

/// When the steps of one exchange were done, each counted from its start in the transport.
///
/// On a connection that was open already the first three are zero.
public struct TransferTimings: Sendable, Hashable {
    /// The host's address was known.
    public var nameLookup: Duration
    /// The connection to the host, or to a proxy, was made.
    public var connect: Duration
    /// TLS was agreed upon; zero without TLS.
    public var tlsHandshake: Duration
    /// The response's first byte was there.
    public var firstByte: Duration
    /// The response's last byte was there.
    public var total: Duration

    public init(nameLookup: Duration, connect: Duration, tlsHandshake: Duration, firstByte: Duration, total: Duration) {
        self.nameLookup = nameLookup
        self.connect = connect
        self.tlsHandshake = tlsHandshake
        self.firstByte = firstByte
        self.total = total
    }
}

/// How many bytes went over the wire in one exchange, bodies before decoding of Content-Encoding.
public struct WireBytes: Sendable, Hashable {
    public var sentHead: Int64
    public var sentBody: Int64
    public var receivedHead: Int64
    public var receivedBody: Int64

    public init(sentHead: Int64, sentBody: Int64, receivedHead: Int64, receivedBody: Int64) {
        self.sentHead = sentHead
        self.sentBody = sentBody
        self.receivedHead = receivedHead
        self.receivedBody = receivedBody
    }
}
