/// What is known of a hop at its end: see ``RequestEvent/hopEnded(_:)``.
public struct HopSummary: Sendable {
    /// Why a hop ended.
    public enum Ending: Sendable {
        /// Its response was delivered to the request.
        case delivered
        /// A validator refused its response by the head; of the body the first bytes were read.
        indirect case refused(AsyncNetError)
        /// Its response is a redirect, whose target will be requested with this head.
        indirect case redirected(to: HTTPRequestHead)
        /// Its response is a challenge, and the request is sent again with credentials.
        case challenged
        /// Its response is a 421 or a 425, and the request is sent again (RFC 9110 §15.5.20, RFC 8470 §5.2).
        case sentAgain
        /// Its response is not delivered, but a stored response in its place: a 304 that confirms it (RFC 9111 §4.3.4),
        /// or a server's error (RFC 5861 §4). A 304 for another version than the stored one is not delivered either: the
        /// next hop has no conditions.
        case replaced
        /// It failed, or the request ended meanwhile with this error.
        indirect case failed(AsyncNetError)
        /// The caller cancelled the request, or nothing needed the hop any more.
        case cancelled
    }

    /// The head that was given to the transport.
    public var request: HTTPRequestHead
    /// The text of the ``URLTemplate`` that the request was made with; `nil` without a template, and after a redirect.
    public var urlTemplate: String?
    /// The head of the response; `nil` without a response.
    public var response: HTTPResponseHead?
    /// Why the hop ended.
    public var ending: Ending
    /// The time from the hop's beginning to its end, with the wait for a connection and the response's body.
    public var duration: Duration
    /// The connection, as the transport has reported it; `nil` if it has not.
    public var connection: ConnectionInfo?
    /// What was measured, with the numbers of attempt and hop.
    public var metrics: HopMetrics
    /// How many bytes of the request's body were sent.
    public var sentBytes: Int64
    /// How many decoded bytes of the response's body were received; for the first segment of a download, by all its
    /// segments.
    public var receivedBytes: Int64
    /// What the session's cache did for the hop; `nil` without a cache.
    public var cacheOutcome: CacheOutcome?

    /// The error that ended the hop; `nil` if it ended otherwise, and for a cancel.
    public var error: AsyncNetError? {
        switch ending {
        case .failed(let error), .refused(let error): error
        default: nil
        }
    }

    /// Makes a summary, for tests of monitors.
    public init(
        request: HTTPRequestHead, urlTemplate: String? = nil, response: HTTPResponseHead? = nil,
        ending: Ending = .delivered, duration: Duration = .zero, connection: ConnectionInfo? = nil,
        metrics: HopMetrics? = nil, sentBytes: Int64 = 0, receivedBytes: Int64 = 0, cacheOutcome: CacheOutcome? = nil
    ) {
        self.request = request
        self.urlTemplate = urlTemplate
        self.response = response
        self.ending = ending
        self.duration = duration
        self.connection = connection
        self.metrics = metrics ?? HopMetrics(method: request.method, url: request.url)
        self.metrics.statusCode = self.metrics.statusCode ?? response?.statusCode
        self.sentBytes = sentBytes
        self.receivedBytes = receivedBytes
        self.cacheOutcome = cacheOutcome
    }
}

extension HopSummary: ShownByDescription {
    /// Why the hop ended, and its duration; contains no secrets.
    public var description: String { "\(reason) after \(duration)" }

    private var reason: String {
        let status = response.map { "\($0.statusCode)" } ?? "no response"
        return switch ending {
        case .delivered: "delivered \(status)"
        case .refused(let error): "refused \(status): \(error)"
        case .redirected(let next): "redirected by \(status) to \(next)"
        case .challenged: "challenged by \(status)"
        case .sentAgain: "sent again after \(status)"
        case .replaced: "replaced \(status) by the stored response"
        case .failed(let error): "failed: \(error)"
        case .cancelled: "cancelled"
        }
    }
}

extension HopSummary.Ending {
    /// The errors of validators: whether a response suits the caller is not the hop's error.
    private static let judgements: Set<AsyncNetError.Code> = [
        .unacceptableStatus, .unacceptableContentType, .validationFailed,
    ]

    init(_ error: any Error) {
        let error = AsyncNetError(wrapping: error, as: .transportFailed)
        self = error.code == .cancelled ? .cancelled : .failed(error)
        if Self.judgements.contains(error.code) { self = .refused(error) }
    }
}
