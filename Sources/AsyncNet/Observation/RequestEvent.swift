public import Foundation

/// A step in the life of a request, in the order in which the steps happen. More cases may be added in any release.
///
/// Heads and errors contain secrets, such as credentials; their descriptions, and that of the event, do not.
///
/// Cases with a payload larger than a reference are `indirect`, so that events stay small: an event is moved several
/// times, and copied for each observer. The other cases need no allocation.
public enum RequestEvent: Sendable {
    /// The request was made; nothing has been sent.
    case created
    /// The request started, or was resumed.
    case resumed
    /// The request was suspended.
    case suspended
    /// The request is over: with an error if its transfer failed. Sent exactly once for a request that has started or
    /// was cancelled; only ``decoded(type:after:_:)`` can follow.
    case finished(AsyncNetError?)
    /// A serializer took this time to make a value of the response, or to fail; once for each value that was awaited.
    indirect case decoded(type: String, after: Duration, AsyncNetError?)

    /// Adapters have made this head, for the attempt that begins now. Only for requests with adapters.
    case adapted(HTTPRequestHead)
    /// An attempt started; attempts are numbered from 1.
    indirect case attempt(Int, HTTPRequestHead)
    /// The request waits for a limit of the session, on the rate or the number of transfers.
    case queued
    /// The wait that began with ``queued`` is over; it took this time.
    indirect case admitted(after: Duration)
    /// The request waits for the transfer of an equal request, whose further steps it receives too, see
    /// ``SessionConfiguration/coalescesRequests``.
    case shared
    /// Another transfer was sent, since the earlier ones have had no response yet; its number is 2 for the first hedge.
    /// See ``HedgingPolicy``.
    case hedged(Int)
    /// Validators accepted the response, or refused it with this error. Only for requests with validators.
    case validated(AsyncNetError?)
    /// The attempt failed, and another attempt begins after this delay. The error is `nil` for a stream of server-sent
    /// events that connects again after a regular end.
    indirect case retried(AsyncNetError?, after: Duration)
    /// The attempt failed, and is not retried, since the origin's ``RetryBudget`` is spent.
    case retryBudgetSpent
    /// The request waited this time for a new credential; with an error if the ``AuthenticationInterceptor`` got none.
    indirect case refreshed(AsyncNetError?, after: Duration)

    /// What the session's cache did for the hop that begins or has just ended. After ``CacheOutcome/hit`` and
    /// ``CacheOutcome/stale`` there may be no hop. Only with ``SessionConfiguration/cache``.
    case cached(CacheOutcome)
    /// A hop began: this head, with cookies and credentials, was given to the transport.
    case hop(HTTPRequestHead)
    /// The hop's head was sent, with these lines; again if the transport sends the request again. Not every transport
    /// reports this.
    indirect case sent(SentHead)
    /// The transport sends the request again: a reused connection ended before any byte of a response, or the server
    /// reported that it had not processed the request.
    case repeated
    /// An interim (1xx) response was received.
    case informational(HTTPResponseHead)
    /// The hop uses this connection.
    indirect case connected(ConnectionInfo)
    /// How many bytes of the request's body have been sent in this hop, and the total if it is known. Not among the
    /// events of ``Request/events``: ``Request/uploadProgress`` has them.
    indirect case sentBody(bytes: Int64, total: Int64?)
    /// How many decoded bytes of the response's body have been received in this hop; in a download's first segment, the
    /// bytes of all segments. Not among the events of ``Request/events``: ``Request/downloadProgress`` has them.
    case receivedBody(bytes: Int64)
    /// Bytes of the request's body, up to the limit that an observer asked for.
    indirect case requestBody(Data)
    /// Decoded bytes of the response's body as they were received, up to the limit that an observer asked for.
    indirect case responseBody(Data)
    /// The final response's head was received.
    case response(HTTPResponseHead)
    /// The response had `Set-Cookie` headers with these names, which were passed to the session's jar.
    case cookiesStored([String])
    /// The hop is over. Sent exactly once for each ``hop(_:)``, at the latest before ``finished(_:)``.
    indirect case hopEnded(HopSummary)

    /// A step of a WebSocket or a raw stream. All events with its ``SessionEvent/requestID`` are of this case.
    indirect case connection(ConnectionEvent)
}

extension RequestEvent: ShownByDescription {
    public var description: String {
        switch self {
        case .created: "created"
        case .resumed: "resumed"
        case .suspended: "suspended"
        case .finished(let error): "finished\(Self.reason(error))"
        case .decoded(let type, let time, let error): "decoded \(type) after \(time)\(Self.reason(error))"
        case .adapted(let head): "adapted: \(head)"
        case .attempt(let number, let head): "attempt \(number): \(head)"
        case .queued: "queued"
        case .admitted(let time): "admitted after \(time)"
        case .shared: "shared"
        case .hedged(let number): "hedged by transfer \(number)"
        case .validated(let error): "validated\(Self.reason(error))"
        case .retried(let error, let delay): "retried after \(delay)\(Self.reason(error))"
        case .retryBudgetSpent: "not retried: the retry budget is spent"
        case .refreshed(let error, let time): "refreshed after \(time)\(Self.reason(error))"
        case .cached(let outcome): "cache: \(outcome)"
        case .hop(let head): "hop: \(head)"
        case .sent(let head): "sent \(head.description.prefix { $0 != "\n" })"
        case .repeated: "repeated"
        case .informational(let head): "informational \(head.statusCode)"
        case .connected(let connection): "connected: \(connection)"
        case .sentBody(let bytes, let total): "sent \(bytes) of \(total.map { "\($0)" } ?? "?") bytes"
        case .receivedBody(let bytes): "received \(bytes) bytes"
        case .requestBody(let data): "request body: \(data.count) bytes"
        case .responseBody(let data): "response body: \(data.count) bytes"
        case .response(let head): "response \(head.statusCode)"
        case .cookiesStored(let names): "cookies stored: \(names.joined(separator: ", "))"
        case .hopEnded(let summary): "hop ended: \(summary)"
        case .connection(let event): "connection \(event)"
        }
    }

    private static func reason(_ error: AsyncNetError?) -> String { error.map { ": \($0)" } ?? "" }
}
