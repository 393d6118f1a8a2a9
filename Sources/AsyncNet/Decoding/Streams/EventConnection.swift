import Foundation

/// The state of a stream of server-sent events over all its connections (WHATWG HTML §9.2.3): its events, and whether
/// and when it connects again.
///
/// A state machine without I/O: its input is heads, bytes and the ends of connections. An event that the end of a
/// connection cuts off is dropped; the next connection requests the events after the last complete one.
struct EventConnection: Sendable {
    /// The next connection of a stream that connects again.
    struct Reconnection: Equatable {
        let delay: Duration
        /// Whether the previous connection failed before its response was accepted. If so, the retry budget is charged.
        let isRetry: Bool
    }

    private let policy: EventReconnection
    /// The acceptable media types and media ranges.
    let contentTypes: [String]
    private(set) var parser: ServerSentEventParser
    private let maximumLength: Int
    /// Whether a response with an event stream has been received.
    private var isEstablished = false
    /// Whether the response of the current connection is an event stream.
    private var isOpen = false
    /// How many connections in a row have ended with an error. An event or a regular end resets the count.
    private var failures = 0
    /// How many connections in a row have brought no event, whether they failed or were accepted.
    private var connectionsWithoutEvent = 0
    /// Whether the response had a `Content-Length`, so that with `.ifResumable` the stream ends with the response.
    private var endIsAnnounced = false

    /// - Parameter maximumLength: The number of bytes of an event's data, and of a line.
    init(
        _ policy: EventReconnection, contentTypes: [String] = [Self.contentType],
        maximumLength: Int = StreamLimit.item
    ) {
        (self.policy, self.maximumLength) = (policy, maximumLength)
        parser = ServerSentEventParser(limit: maximumLength)
        self.contentTypes = contentTypes.isEmpty ? [Self.contentType] : contentTypes
    }

    static let contentType = "text/event-stream"

    /// Whether the policy can be used with this method: `.always` needs a GET.
    func canRepeat(_ method: HTTPMethod) -> Bool { policy.occasion != .always || method == .get }

    /// The value of `Last-Event-ID`; `nil` to send none.
    var lastEventID: String? { parser.lastEventID }
    /// Whether the stream has set an ID, or has reset it.
    var hasSetID: Bool { parser.setID != nil }
    var heartbeatTimeout: Duration? { policy.heartbeatTimeout }

    /// - Returns: Whether a body with events follows; if not, the stream has ended.
    /// - Throws: ``AsyncNetError`` with code `.unacceptableStatus` or `.unacceptableContentType`.
    mutating func open(_ head: HTTPResponseHead) throws(AsyncNetError) -> Bool {
        switch head.statusCode {
        case 200: break
        case 204: return false
        default:
            let reason = "A stream of events has status 200; this response's status is \(head.statusCode)"
            throw AsyncNetError(.unacceptableStatus, reason)
        }
        if let refusal = refusal(ofType: head) { throw refusal }
        goBack(to: place)
        endIsAnnounced = head.contentLength != nil
        isEstablished = true
        isOpen = true
        connectionsWithoutEvent += 1
        return true
    }

    /// Why a response with status 200 is no stream of events. Parameters are ignored, since events are always UTF-8. A
    /// response without a type needs `*/*`.
    func refusal(ofType head: HTTPResponseHead) -> AsyncNetError? {
        guard head.statusCode == 200, !MediaType.list(contentTypes, includes: head.mediaType) else { return nil }
        let (list, own) = (contentTypes.joined(separator: " or "), head.mediaType.map { "\($0)" } ?? "none")
        return AsyncNetError(
            .unacceptableContentType, "A stream of events has Content-Type \(list); this response has \(own)")
    }

    /// The place in the stream from which another connection continues. A copy of the whole state would share the
    /// buffer of an unfinished event, and the next chunk would copy that.
    struct Place: Sendable {
        fileprivate let setID: String?
        fileprivate let retry: Duration?
    }

    var place: Place { Place(setID: parser.setID, retry: parser.retry) }

    /// Forgets the events after this place: the next connection requests them again.
    mutating func goBack(to place: Place) {
        parser = ServerSentEventParser(setID: place.setID, retry: place.retry, limit: maximumLength)
    }

    mutating func receive(_ chunk: Data) throws(AsyncNetError) -> [ServerSentEvent] {
        let events = try parser.receive(chunk)
        if !events.isEmpty { (failures, connectionsWithoutEvent) = (0, 0) }
        return events
    }

    /// Called once the reader has taken the events of a chunk. Throws `.lineTooLong` if the bytes after these events
    /// exceed the limit: a parser first returns the events of a chunk, and throws at the next call.
    mutating func checkLength() throws(AsyncNetError) { _ = try parser.receive(Data()) }

    /// Whether more connections in a row have brought no event than the policy allows.
    private var isOverLimit: Bool { policy.limit.map { connectionsWithoutEvent > $0 } ?? false }

    /// Whether the stream ends with a regular end of the response.
    private var endsWithResponse: Bool { policy.occasion == .ifResumable && endIsAnnounced }

    /// Called at the regular end of a body.
    ///
    /// - Throws: `.connectionLost` if only the limit prevents a reconnection: a loop over events that ends without an
    ///   error has read the whole stream.
    func checkLimit() throws(AsyncNetError) {
        guard isOverLimit, canBeContinued, !endsWithResponse else { return }
        throw AsyncNetError(
            .connectionLost,
            "\(connectionsWithoutEvent) connections in a row brought no event, more than EventReconnection.limit allows; the server ended the last one"
        ).with(
            advice:
                "Look at what the server sends. If it often has no events, set a larger limit, or nil for none."
        )
    }

    /// Ends a connection, and decides whether and when the stream connects again without a retrier.
    ///
    /// - Parameters:
    ///   - error: The error that ended the connection; `nil` for a regular end.
    ///   - head: The head of the connection's response. If that was refused, its `Retry-After` is the shortest delay.
    ///   - jitter: A random number from 0 to 1. Half of a growing delay is fixed; this is the part of the other half
    ///     that is added.
    mutating func end(_ error: AsyncNetError?, _ head: HTTPResponseHead?, now: Date, jitter: Double) -> Reconnection? {
        guard canBeContinued else { return nil }
        defer { isOpen = false }
        let base = min(parser.retry.map { min($0, policy.maximumRetry) } ?? policy.delay, .longestWait)
        if !isOpen { connectionsWithoutEvent += 1 }
        guard let error else {
            failures = 0
            return isOverLimit || endsWithResponse ? nil : Reconnection(delay: base, isRetry: false)
        }
        failures += 1
        guard isPassing(error, head?.statusCode), !isOverLimit else { return nil }
        let own = failures > 1 ? grown(base, jitter) : base
        let asked = isOpen ? nil : head.flatMap { RetryAfter.delay($0, now: now) }
        if let asked, asked > policy.maximumRetry { return nil }
        return Reconnection(delay: max(own, asked ?? .zero), isRetry: !isOpen)
    }

    private func grown(_ base: Duration, _ jitter: Double) -> Duration {
        let doubled = max(base, .milliseconds(1)) * (1 << min(failures - 1, 20))
        let grown = min(doubled, max(policy.maximumDelay, base))
        return grown / 2 + grown / 2 * min(max(jitter, 0), 1)
    }

    /// Whether another response can continue the stream after the events that were read, so that the request may be
    /// sent again after an error.
    var canBeContinued: Bool {
        isEstablished && (policy.occasion == .always || policy.occasion == .ifResumable && isResumable)
    }

    private var isResumable: Bool { parser.lastEventID != nil || parser.retry != nil }

    /// How many attempts have failed since the last event or regular end; `nil` before the stream was opened.
    var failedAttempts: Int? { isEstablished ? failures : nil }

    /// Whether the error may be temporary.
    private func isPassing(_ error: AsyncNetError, _ statusCode: Int?) -> Bool {
        switch error.code {
        case .connectionLost, .bodyEndedEarly, .emptyReply, .timedOut, .cannotConnect, .hostNotFound, .circuitOpen,
            .badServerResponse, .tlsHandshakeFailed, .proxyNotFound:
            true
        case .proxyFailed: !error.isRefusedByProxy
        case .unacceptableStatus: statusCode.map { [408, 429, 500, 502, 503, 504].contains($0) } ?? false
        default: false
        }
    }
}
