public import AsyncNet

/// What of a recording is written to a file, and how.
///
///     try recording.write(to: file, as: RecordingFormat(redaction: RedactionRule(fields: ["iban"])))
///
/// Secrets are redacted, and what differs from one recording to the next is left out, so that recording the same
/// traffic again gives the same file, byte for byte:
/// - Headers of requests are written if they are among ``requestHeaders``; headers of responses unless they are among
///   ``omittedResponseHeaders``. Both are sorted by name.
/// - Secrets are redacted by ``redaction``: in headers, URLs, bodies and messages, of requests and of responses. A long
///   value of a secret header, cookie or query item is redacted wherever else it stands in its exchange. The name and
///   the attributes of a cookie stay.
/// - An `Expires` in the future, of a response or of a cookie, is left out: it depends on the time of the recording.
/// - The members of JSON in bodies of requests are sorted by name, since encoders write them in any order.
/// - Boundaries of multipart bodies become `AsyncNet-boundary` (RFC 2046 §5.1).
/// - Times are rounded to ``timeStep``, and no date is written. A time that lies in the middle of a step may be rounded
///   either way.
/// - Ports of 32768 and more on `127.0.0.1`, `[::1]` and `localhost`, which systems give to servers of tests, are left
///   out of URLs, headers and bodies; see ``keepsLocalPorts``.
/// - Compressed bodies of requests are written decoded; one that cannot be decoded is left out, as it may have secrets.
/// - Messages of errors do not have what a transport adds in parentheses, such as times.
///
/// Bodies that are neither JSON nor a form, such as HTML, are written unchanged except for known secrets;
/// ``changeRequest`` and ``changeResponse`` can change them. Requests are in the order in which they were sent, which
/// may differ for concurrent requests; see ``isSorted``.
///
/// If a body changes, its `Content-Length` is that of the new body, and its digests (RFC 9530) are left out.
///
/// ``ReplayTransport`` brings a live request into the same form before it compares it, so that a redacted request
/// matches. Give it the rule that the file was written with.
public struct RecordingFormat: Sendable {
    /// The format without changes.
    public static let standard = RecordingFormat()

    /// What is redacted.
    public var redaction: RedactionRule
    /// The headers of requests that are written; case does not count. ``standardRequestHeaders`` by default.
    public var requestHeaders: Set<String>
    /// Which headers of responses are left out; case does not count. ``standardOmittedHeaders`` by default.
    public var omittedResponseHeaders: Set<String>
    /// What times are rounded to; zero writes no times. A second by default.
    public var timeStep = Duration.seconds(1)
    /// Whether ports from 32768 on are written too for loopback addresses; lower ones always are. `false` by default.
    public var keepsLocalPorts = false
    /// The size in bytes of the largest body that is no text and is still written into the HAR file; a larger one is
    /// written to a file of its own in the folder `NAME.har.files`. 4 KiB by default.
    public var largestBinaryBody = 4096
    /// Whether exchanges are sorted by URL, method and body; equal requests keep their order. `false` by default.
    ///
    /// For tests that send requests concurrently, whose order differs from one recording to the next.
    public var isSorted = false
    /// Changes each request after redaction, before it is written and before it is compared with a recorded one; for
    /// secrets that no rule finds.
    public var changeRequest: (@Sendable (inout RecordedExchange.Request) -> Void)?
    /// Changes each response after redaction, before it is written.
    public var changeResponse: (@Sendable (inout RecordedExchange.Response) -> Void)?

    /// Creates a format; the other properties have their defaults.
    public init(
        redaction: RedactionRule = .standard, requestHeaders: Set<String> = Self.standardRequestHeaders,
        omittedResponseHeaders: Set<String> = Self.standardOmittedHeaders
    ) {
        (self.redaction, self.requestHeaders) = (redaction, requestHeaders)
        self.omittedResponseHeaders = omittedResponseHeaders
    }

    /// Headers that decide about the response and are the same each time. `Accept-Language` and `User-Agent`, which
    /// depend on the machine, and `Idempotency-Key`, which is random, are not among them.
    public static let standardRequestHeaders: Set<String> = [
        "Accept", "Content-Language", "Content-Type", "If-Match", "If-Modified-Since", "If-None-Match", "If-Range",
        "If-Unmodified-Since", "Last-Event-ID", "Prefer", "Range", "SOAPAction", "X-HTTP-Method-Override",
    ]

    /// Headers that differ each time: times, request identifiers, and those of connections, caches and reports.
    public static let standardOmittedHeaders: Set<String> = [
        "Age", "Alt-Svc", "CF-Ray", "Connection", "Date", "Fly-Request-Id", "Keep-Alive", "NEL", "Proxy-Connection",
        "Report-To", "Reporting-Endpoints", "Request-Id", "Server-Timing", "Traceparent", "Tracestate",
        "Transfer-Encoding", "X-Amz-Cf-Id", "X-Amz-Cf-Pop", "X-Amz-Id-2", "X-Amz-Request-Id", "X-Amzn-RequestId",
        "X-Amzn-Trace-Id", "X-Cache-Hits", "X-Cloud-Trace-Context", "X-Correlation-Id", "X-GitHub-Request-Id",
        "X-MS-Request-Id", "X-Request-Id", "X-Response-Time", "X-Runtime", "X-Served-By", "X-Timer", "X-Trace-Id",
        "X-Vercel-Id",
    ]
}
