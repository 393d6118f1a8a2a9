/// Everything known of a hop at its end: see ``RequestEvent/hopEnded(_:)``.
public struct HopSummary: Sendable {
    /// Why a hop ended.
    public enum Ending: Sendable {
        /// The hop's response was delivered to the request. A retrier may still begin another attempt, and a download
        /// may still request another response.
        case delivered
        /// A validator, a download or a stream of events refused the response. If its head was refused, at most the
        /// first bytes of its body were read.
        indirect case refused(AsyncNetError)
        /// The hop's response is a redirect, whose target is requested next, with this head.
        indirect case redirected(to: HTTPRequestHead)
        /// The hop's response is a challenge (401), and the request is sent again with credentials.
        case challenged
        /// The hop's response is a 421 or a 425, and the request is sent again (RFC 9110 §15.5.20, RFC 8470 §5.2).
        case sentAgain
        /// A stored response is delivered in place of the hop's response: in place of a 304 that confirms the stored
        /// response (RFC 9111 §4.3.4), or of a server's error (RFC 5861 §4). Also the ending of a hop whose 304 does
        /// not match the stored response: the next hop is then sent without conditions.
        case replaced
        /// The hop failed with this error, or the request ended with it while the hop ran.
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
    /// The time from the hop's beginning to its end, including the wait for a connection and the response's body.
    public var duration: Duration
    /// The connection, as the transport has reported it; `nil` if the transport has reported none.
    public var connection: ConnectionInfo?
    /// The measurements of the hop, with the numbers of attempt and hop.
    public var metrics: HopMetrics
    /// How many bytes of the request's body were sent.
    public var sentBytes: Int64
    /// How many decoded bytes of the response's body were received; for the first segment of a download, the bytes of
    /// all its segments.
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
    /// Errors that end a hop as `refused`: the exchange succeeded, and the caller did not accept its response.
    private static let judgements: Set<AsyncNetError.Code> = [
        .unacceptableStatus, .unacceptableContentType, .validationFailed,
    ]

    init(_ error: any Error) {
        let error = AsyncNetError(wrapping: error, as: .transportFailed)
        self = error.code == .cancelled ? .cancelled : .failed(error)
        if Self.judgements.contains(error.code) { self = .refused(error) }
    }
}
