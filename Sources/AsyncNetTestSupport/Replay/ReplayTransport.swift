public import AsyncNet
public import Foundation

/// A transport without sockets, whose responses are those of a recording.
///
///     let transport = try ReplayTransport(contentsOf: file)      // HAR 1.2, also of a browser or another program
///     let session = Session(transport: transport)
///     ...
///     try transport.verify()
///
/// An exchange is used for the first request that matches it; requests that match several exchanges get them in the
/// order of the recording, also if they are sent at the same time. So a retry gets what the retry got when it was
/// recorded: the failures of a recording are replayed too, before the head and in the body. Each exchange is used once,
/// unless `reusesLast` is set.
///
/// Interim responses, the head, chunks with their boundaries, trailers, and failures with their code are replayed. If
/// an exchange was cancelled while it was recorded, by a timeout for example, its replay stalls at that point until it
/// is cancelled. A request's body is read completely before its response, as by a server.
///
/// A request without an exchange ends with an `AsyncNetError` with code `.unsupportedByTransport`, whose
/// underlying error is the ``ReplayMismatch``, with the nearest exchange and what differs. Policies do not retry it.
public final class ReplayTransport: Transport, TransportOfRecordings {
    private let source: ReplaySource
    private let pace: ReplayPace
    private let fallback: (any Transport)?

    /// Creates a transport that replays a recording.
    ///
    /// - Parameters:
    ///   - recording: The exchanges.
    ///   - matching: What a request and a recorded request must have in common; ``RequestMatcher/standard`` by default.
    ///   - pace: The delays. They pass on the session's clock if that is a ``TestClock``, else in real time.
    ///   - reusesLast: Whether, once all exchanges that match a request have been used, the last of them is used again.
    ///   - format: The form in which requests are compared: without secrets, and without what differs each time. Give
    ///     the format with which the file was written, so that a value that is redacted there is redacted in the
    ///     request that is compared with it. A second call of its closures must change nothing more.
    public convenience init(
        _ recording: Recording, matching: [RequestMatcher] = RequestMatcher.standard, pace: ReplayPace = .immediate,
        reusesLast: Bool = false, format: RecordingFormat = .standard
    ) {
        self.init(
            recording, file: nil, matching: matching, pace: pace, reusesLast: reusesLast, format: format,
            fallback: nil, onUnmatched: nil)
    }

    /// Creates a transport that replays a HAR file; see ``init(_:matching:pace:reusesLast:format:)``.
    ///
    /// - Throws: What ``Recording/init(contentsOf:)`` throws if the file cannot be read.
    public convenience init(
        contentsOf file: URL, matching: [RequestMatcher] = RequestMatcher.standard, pace: ReplayPace = .immediate,
        reusesLast: Bool = false, format: RecordingFormat = .standard
    ) throws {
        self.init(
            try Recording(contentsOf: file), file: file, matching: matching, pace: pace, reusesLast: reusesLast,
            format: format, fallback: nil, onUnmatched: nil)
    }

    /// - Parameters:
    ///   - file: The file of the recording, for texts.
    ///   - fallback: Carries the requests that have no exchange, which then are not reported as unmatched.
    ///   - onUnmatched: Called once for each unmatched request, before its error is thrown.
    package init(
        _ recording: Recording, file: URL?, matching: [RequestMatcher], pace: ReplayPace, reusesLast: Bool,
        format: RecordingFormat, fallback: (any Transport)?, onUnmatched: (@Sendable (ReplayMismatch) -> Void)?
    ) {
        let plan = ReplayPlan(recording, RequestComparison(matching, format), file: file)
        source = ReplaySource(plan, reusesLast: reusesLast, onUnmatched: onUnmatched)
        (self.pace, self.fallback) = (pace, fallback)
    }

    /// The exchanges that no request has used, in the order of the recording.
    public var unused: [RecordedExchange] { source.unused }

    /// The requests that had no exchange, in their order.
    public var unmatched: [ReplayMismatch] { source.unmatched }

    /// Checks that each request had an exchange, and that each exchange was used.
    ///
    /// - Throws: ``UnmetExpectations``, which lists unmatched requests with their differences, and unused exchanges.
    public func verify() throws {
        let differences = source.differences
        if !differences.isEmpty { throw UnmetExpectations(differences: differences) }
    }

    /// The value of the transport for requests without an exchange; `true` without such a transport.
    public var judgesAddresses: Bool { fallback?.judgesAddresses ?? true }

    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        let transfer = SimulatedTransfer(request)
        if fallback == nil { transfer.begin() }
        let body = try await transfer.readBody(isKept: needsBody(of: request))
        let recorded = RecordedExchange.Request(
            method: request.head.method, url: request.head.url, headers: request.head.headers, body: body)
        switch source.take(recorded, isReported: fallback == nil) {
        case .exchange(let index):
            transfer.begin()
            return try await replay(source.plan.exchanges[index], transfer, request.head.url)
        case .none(let mismatch):
            guard let fallback else { throw mismatch.error }
            return try await fallback.send(request.replacing(body))
        }
    }

    /// Shuts the transport down that carries requests without an exchange.
    public func shutdown() async { await fallback?.shutdown() }

    /// A body that was read cannot always be read again by the fallback.
    private func needsBody(of request: TransportRequest) -> Bool {
        source.plan.comparison.needsBody || fallback != nil && request.body.replay == .once
    }

    private func replay(_ exchange: RecordedExchange, _ transfer: SimulatedTransfer, _ url: URL) async throws
        -> TransportResponse
    {
        try await transfer.pause(pace.delay(exchange.latency))
        switch exchange.outcome {
        case .failure(let failure): throw try await transfer.error(of: failure)
        case .response(let response):
            for interim in response.informational { transfer.sendInformational(interim.statusCode, interim.headers) }
            let head = HTTPResponseHead(
                statusCode: response.statusCode, url: url, headers: response.headers,
                httpVersion: response.httpVersion, reasonPhrase: response.reason)
            guard transfer.hasBody(response.statusCode) else {
                return TransportResponse(head: head, body: TransportBody(Data()))
            }
            return TransportResponse(head: head, body: TransportBody(ReplayBody(response, pace, transfer)))
        }
    }
}

extension TransportRequest {
    /// This request with bytes in the place of a body that can be read only once.
    fileprivate func replacing(_ body: Data) -> TransportRequest {
        guard self.body.replay == .once else { return self }
        var copy = self
        copy.body = .data(body)
        return copy
    }
}
