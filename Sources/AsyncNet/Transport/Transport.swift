/// Carries transfers: sends a request and receives its response.
///
/// A transport does not follow redirects, respond to challenges, store cookies, cache or retry: the session does all of
/// that, in the same way for every transport. To write a transport, return the response's head as soon as it has
/// arrived, with a body that delivers its bytes as they arrive:
///
///     struct Echo: Transport {
///         func send(_ request: TransportRequest) async throws -> TransportResponse {
///             TransportResponse(
///                 head: HTTPResponseHead(statusCode: 200, url: request.head.url),
///                 body: TransportBody(request.body.data ?? Data()))
///         }
///     }
///
/// Cancelling the task that awaits `send` or the next chunk must end the transfer at once; so must releasing the body.
/// A thrown `AsyncNetError` reaches the caller unchanged, any other error as the underlying error of
/// `.transportFailed`.
public protocol Transport: Sendable {
    /// Sends the request and returns once the final response's head has arrived.
    ///
    /// The session applies timeouts and deadlines, by cancelling the task.
    func send(_ request: TransportRequest) async throws -> TransportResponse

    /// Waits for running transfers to end, then closes all connections. Does nothing by default. Called by
    /// ``Session/finish()``: a transport belongs to one session.
    ///
    /// The session does not call `send` afterwards.
    func shutdown() async

    /// How the transport verifies the server that responds to this request. ``HTTPCache`` compares this before it uses
    /// a response that another session has stored.
    ///
    /// The default is `.unverified` with the type's name: only sessions over transports of the same type use the stored
    /// responses. A transport around another one returns the other's trust.
    func trust(for request: HTTPRequestHead) -> ResponseTrust

    /// Whether the transport connects only to addresses that ``TransportRequest/addresses`` allows; `false` by default.
    ///
    /// With `false` a request with an address policy ends with `.unsupportedByTransport`. A transport around another
    /// one returns the other's value, and a transport that connects to nothing returns `true`.
    var judgesAddresses: Bool { get }

    /// A name of the transport for logs. The type's name by default.
    var transportDescription: String { get }
}

extension Transport {
    /// Does nothing.
    public func shutdown() async {}
    /// `unverified`, with the type's name as the route.
    public func trust(for request: HTTPRequestHead) -> ResponseTrust { .unverified(route: "\(Self.self)") }
    /// `false`.
    public var judgesAddresses: Bool { false }
    /// The type's name.
    public var transportDescription: String { "\(Self.self)" }
}

extension AsyncNetError {
    /// A finished session refuses requests itself: so another session or the program has shut this transport down.
    package static var transportIsShutDown: AsyncNetError {
        AsyncNetError(
            .sessionFinished,
            "The transport is shut down: another session that uses it has finished, or shutdown() was called"
        )
        .with(advice: "A transport belongs to one session. Make one for each session, such as .sockets().")
    }
}

/// The request of one transfer, after adapters and checks.
public struct TransportRequest: Sendable {
    struct Values: Sendable {
        var head: HTTPRequestHead
        var body: RequestBody
        /// How long the server may be silent; replaces the session's timeout.
        var timeout: Duration?
        /// Whether the request is suspended. A transport that can pause then pauses the transfer.
        var hold: TransferHold?
        var maximumBodySize: Int64?
        var addresses = AddressPolicy.any
        var delivery = Delivery.asItArrives
        /// The request's priority among the transfers that wait for a connection.
        var priority = RequestPriority.normal
        /// Whether a head with a status below 300 is delivered at once, also with `.whole`, since a validator
        /// refuses it.
        var isUrgent: (@Sendable (HTTPResponseHead) -> Bool)?
        var interests: EventInterests?
        var connectionObservers: [any ConnectionObserver] = []
        var onEvent: (@Sendable (TransportEvent) -> Void)?
        /// Set if the session has a `SupervisedClock`, such as a `TestClock`, which must know of the transfer.
        var supervision: SupervisedTransfer?
        var urlTemplate: String?
        /// How the request uses the session's cache, by the `cachePolicy` of the `URLRequest` that it was made from.
        var cacheMode: CacheMode?
        var keepsContentCoding = false
        /// Whether the request is sent on a new connection, since the server has refused it on a kept one (421).
        var needsNewConnection = false
    }

    /// Shared, so that the frame of each async function that has a request is smaller.
    private var values: SharedValue<Values>

    /// Method, URL and headers.
    public var head: HTTPRequestHead {
        get { values.value.head }
        set { change { $0.head = newValue } }
    }

    /// The request's body. ``RequestBody/replay`` says whether it can be sent twice.
    public var body: RequestBody {
        get { values.value.body }
        set { change { $0.body = newValue } }
    }

    /// The largest decoded body in bytes; `nil` means no limit.
    ///
    /// A transport may end a transfer with a larger body with `.bodyTooLarge`, which saves memory; otherwise the
    /// session does.
    public var maximumBodySize: Int64? {
        get { values.value.maximumBodySize }
        set { change { $0.maximumBodySize = newValue } }
    }

    /// Which addresses may be connected to for this request; see ``Transport/judgesAddresses``. A transport that makes
    /// a new request for another transport copies this value.
    public var addresses: AddressPolicy {
        get { values.value.addresses }
        set { change { $0.addresses = newValue } }
    }

    /// Whether the caller reads the body as it arrives or when it is complete. `.asItArrives` by default.
    public var delivery: Delivery {
        get { values.value.delivery }
        set { change { $0.delivery = newValue } }
    }

    /// Called in order with each event of the transfer besides head and body. It must not block.
    public var onEvent: (@Sendable (TransportEvent) -> Void)? {
        get { values.value.onEvent }
        set { change { $0.onEvent = newValue } }
    }

    /// The text of the ``URLTemplate`` that the request was made with, such as `users/{name}`; `nil` without a
    /// template. After a redirect, it is still the template of the first hop.
    public internal(set) var urlTemplate: String? {
        get { values.value.urlTemplate }
        set { change { $0.urlTemplate = newValue } }
    }

    package var isHeadObserved: Bool { values.value.interests?.sentHeads == true }

    /// What observers of this hop need besides head and body; `nil` if nobody observes. A transport need not make the
    /// events that nobody needs.
    public var interests: EventInterests? {
        get { values.value.interests }
        set { change { $0.interests = newValue } }
    }

    var priority: RequestPriority {
        get { values.value.priority }
        set { change { $0.priority = newValue } }
    }

    var timeout: Duration? {
        get { values.value.timeout }
        set { change { $0.timeout = newValue } }
    }
    var cacheMode: CacheMode? {
        get { values.value.cacheMode }
        set { change { $0.cacheMode = newValue } }
    }
    /// Whether the body is delivered as it was sent: by an option, or since the request's `Accept-Encoding` accepts
    /// only `identity`.
    package var keepsContentCoding: Bool { values.value.keepsContentCoding || head.headers.acceptsOnlyIdentity }
    /// Asks for the body as it is sent, and without a coding unless the caller's headers ask for one.
    mutating func keepContentCoding() {
        change {
            $0.keepsContentCoding = true
            if !$0.head.headers.contains(name: "Accept-Encoding") {
                $0.head.headers.add(.acceptEncoding("identity"))
            }
        }
    }
    package var hold: TransferHold? {
        get { values.value.hold }
        set { change { $0.hold = newValue } }
    }
    package var needsNewConnection: Bool { values.value.needsNewConnection }
    var connectionObservers: [any ConnectionObserver] { values.value.connectionObservers }
    package var isUrgent: (@Sendable (HTTPResponseHead) -> Bool)? { values.value.isUrgent }
    package var supervision: SupervisedTransfer? { values.value.supervision }

    mutating func change(_ change: (inout Values) -> Void) { values.change(change) }

    /// How the caller reads the response's body.
    public enum Delivery: Sendable {
        /// The caller awaits the head and each chunk.
        case asItArrives
        /// The caller reads nothing before the body is complete.
        ///
        /// A transport may deliver the head at the end of the body, or when its buffer is full, so that the caller's
        /// task is not resumed for each chunk; until then it reports `.receivedBody`. A head with a status of 300 or
        /// more should be delivered at once: the caller may not need the body.
        case whole
    }

    /// A request with the default delivery and without limits.
    public init(
        head: HTTPRequestHead, body: RequestBody = .none, onEvent: (@Sendable (TransportEvent) -> Void)? = nil
    ) {
        values = SharedValue(Values(head: head, body: body, onEvent: onEvent))
    }
}

/// The response of one transfer.
public struct TransportResponse: Sendable {
    /// Status and headers.
    public var head: HTTPResponseHead
    /// The chunks as they arrive.
    public var body: TransportBody
    /// Whether the transport has decoded the body's content coding (RFC 9110 §8.4). `true` by default; with `false` the
    /// session decodes the body.
    public var isContentDecoded: Bool
    /// Whether the session delivers the body as it was sent, as ``TransportRequest/keepsContentCoding`` demands.
    package var keepsContentCoding = false

    /// A response whose body the transport has decoded, unless `isContentDecoded` is `false`.
    public init(head: HTTPResponseHead, body: TransportBody, isContentDecoded: Bool = true) {
        self.head = head
        self.body = body
        self.isContentDecoded = isContentDecoded
    }

    /// The response with a body that is decoded as it is read, in chunks of at most 64 KiB. The same response if the
    /// transport has decoded the body, or the head has no `Content-Encoding`. If the request keeps the codings, or a
    /// registered one is not supported, or no known one is left, the body stays as it was sent, and the head's
    /// `keepsContentCoding` is set. The body throws if there are too many codings, or one whose library is missing.
    package var decoded: TransportResponse {
        guard !isContentDecoded, head.value(for: "Content-Encoding") != nil else { return self }
        let codings = Result { () throws(AsyncNetError) in
            try keepsContentCoding ? [] : ContentDecoding.codings(in: head.headers.values(for: "Content-Encoding"))
        }
        if case .success(let codings) = codings, codings.isEmpty {
            var kept = self
            kept.head.keepsContentCoding = true
            return kept
        }
        let body = TransportBody(reading: { [body] in
            var chunks = body.makeAsyncIterator()
            return ContentDecoder.reading(codings) { try await chunks.next() }
        })
        return TransportResponse(head: head, body: body)
    }
}

/// An event of a transfer besides head and body. New cases may be added in any release.
public enum TransportEvent: Sendable {
    /// The transfer waits for a permit of the transport. The timeout for the server's silence stops until the next
    /// event other than ``sentHead(_:)`` and ``connected(_:)``.
    case queued
    /// The transfer has begun.
    case started
    /// The request's head is sent, with this text. Reported each time that the transport sends it, and for the head of
    /// a CONNECT to a proxy, if ``TransportRequest/interests`` ask for it; not every transport reports it. The event
    /// does not end the server's silence, since an observer must not change when a request times out.
    case sentHead(SentHead)
    /// The transport sends the request again, on another connection or stream: before any byte of a response, the
    /// server had closed the kept connection or not processed the request (RFC 9110 §9.2.2, RFC 9113 §8.7).
    case repeated
    /// The transfer has this connection. Reported before the response's head, if ``TransportRequest/interests`` is not
    /// `nil`; if a transport does not report it, the session makes this event from ``metrics(_:)``. Like
    /// ``sentHead(_:)``, it does not end the server's silence.
    case connected(ConnectionInfo)
    /// A 1xx response other than 101 has arrived (RFC 9110 §15.2). Not every transport reports these.
    case informational(HTTPResponseHead)
    /// The transport could send bytes, but the request's body has none yet. The timeout for the server's silence stops
    /// until ``sentBody(bytes:total:)`` or ``started``.
    case awaitingBody
    /// The number of bytes of the body that have been passed to the network in all, and the body's length if it is
    /// known.
    case sentBody(bytes: Int64, total: Int64?)
    /// The response's head has arrived. Reported for ``TransportRequest/Delivery/whole``, with which the head may be
    /// delivered later.
    case receivedHead(HTTPResponseHead)
    /// The number of bytes of the body that have arrived in all. Reported for ``TransportRequest/Delivery/whole``.
    case receivedBody(bytes: Int64, HTTPResponseHead)
    /// Trailers have arrived (RFC 9110 §6.5). Not every transport reports these.
    case trailers(HTTPHeaders)
    /// The measurements of the transport. Reported once, before the body ends.
    case metrics(TransportMetrics)
}
