import AsyncNet
public import Foundation

extension MockServer {
    /// Starts a server that replays a recording to any client.
    ///
    ///     let server = try await MockServer.start(replaying: Recording(contentsOf: file), port: 8080)
    ///
    /// The server picks the exchange for a request as a ``ReplayTransport`` does, but does not compare origins and
    /// hosts. A request without an exchange gets a 501 (RFC 9110 §15.6.2), whose body is the text of the
    /// ``ReplayMismatch``. ``verify()`` reports such requests, and the exchanges that were not used. Enqueued responses
    /// and routes come before the recording.
    ///
    /// Bodies are sent over HTTP/1.1 without content coding; several chunks are sent with the chunked transfer coding.
    /// A `Location` that leads to an origin of the recording leads to the server instead. Cookies are sent as recorded:
    /// clients refuse those with a `Domain` of another host. A recorded failure becomes a connection that is reset or
    /// closed, or silence for a timeout and a cancellation.
    ///
    /// - Parameters:
    ///   - recording: The exchanges.
    ///   - matching: As for ``ReplayTransport``; ``RequestMatcher/origin`` and ``RequestMatcher/host`` have no effect.
    ///   - pace: The delays, in real time.
    ///   - reusesLast: Whether, once all exchanges that match a request have been used, the last of them is used again.
    ///   - format: The form in which requests are compared: that with which the recording was written.
    ///   - file: The file of the recording, whose path is then a part of texts about mismatches.
    ///   - interface: 127.0.0.1 or ::1.
    ///   - port: The port to listen on; 0, the default, for one that the system chooses.
    ///   - tls: The certificate of a server that speaks TLS.
    ///   - onReplay: Called with each request before its response is sent, on a thread that it may block.
    /// - Throws: ``Failure`` if OpenSSL cannot be loaded, and errors of the system if the port cannot be had.
    public static func start(
        replaying recording: Recording, matching: [RequestMatcher] = RequestMatcher.standard,
        pace: ReplayPace = .immediate, reusesLast: Bool = false, format: RecordingFormat = .standard,
        file: URL? = nil, on interface: Interface = .ipv4, port: Int = 0, tls: TLS? = nil,
        onReplay: (@Sendable (ReplayedRequest) -> Void)? = nil
    ) async throws -> MockServer {
        let comparison = RequestComparison(matching, format).withoutOrigin
        let source = ReplaySource(ReplayPlan(recording, comparison, file: file), reusesLast: reusesLast)
        let replay = ServerReplay(source: source, pace: pace, isTLS: tls != nil, onReplay: onReplay)
        var routes = Routes()
        routes.on(nil, "*") { replay.response(to: $0) }
        return try MockServer(interface, port, tls, routes: routes, replay: source)
    }

    /// The exchanges of the recording that no request has used; empty for a server that replays none.
    public nonisolated var unusedExchanges: [RecordedExchange] { replay?.unused ?? [] }

    /// The requests that no exchange of the recording matched; empty for a server that replays none.
    public nonisolated var unmatchedRequests: [ReplayMismatch] { replay?.unmatched ?? [] }
}
