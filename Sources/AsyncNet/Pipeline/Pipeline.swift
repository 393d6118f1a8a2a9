import Foundation

/// The stations that a request passes between its start and its outcome.
enum Pipeline {
    /// The stations in order: each calls the next and returns its response, the last calls the transport.
    ///
    /// To add a station, write its type in a file of its own, and add it to this list or to `transfer`.
    static var stations: some Station {
        Deadline( // ends the request when its time is over
            Attempts( // adapters before each attempt, the body and retriers after its response
                Sharing( // one transfer for equal requests; several for a request that is hedged
                    transfer)))
    }

    /// The stations of one transfer, which shared and hedged transfers and revalidations pass too.
    static var transfer: some Station {
        FollowUps( // redirects and challenges: one hop after another
            Bridge( // cookies, and what the transport is told of the request
                Caching( // stored responses; stores responses
                    Admission( // circuit breaker, rate and permit of the hop's origin
                        Silence( // ends the attempt when the server is silent or the attempt takes too long
                            Sending()))))) // one hop over the transport
    }
}

/// A step on the way of a request: makes the response itself, or returns that of the next station.
protocol Station: Sendable {
    func response(to request: TransportRequest, in attempt: Attempt) async throws -> Response
}

/// A response on its way back through the stations.
///
/// An object, as the frame of each station has room for one.
final class Response: Sendable {
    /// Head and body. The body is read when the response has come back to the attempt.
    let message: TransportResponse
    /// The request of its hop, without cookies and credentials.
    let request: TransportRequest
    /// Whether it is a stored response, to which the server has added nothing or only a 304.
    let isStored: Bool
    /// The body, once it was kept in memory.
    let data: Data?

    init(_ message: TransportResponse, to request: TransportRequest, isStored: Bool = false, data: Data? = nil) {
        self.message = message
        self.request = request
        self.isStored = isStored
        self.data = data
    }

    var head: HTTPResponseHead { message.head }

    /// The response with a body that is decoded as it is read.
    var decoded: Response {
        message.isContentDecoded || message.head.value(for: "Content-Encoding") == nil ? self : with(message.decoded)
    }

    func with(_ message: TransportResponse) -> Response { Response(message, to: request, isStored: isStored) }

    func with(_ data: Data) -> Response { Response(message, to: request, isStored: isStored, data: data) }
}

/// One attempt of a run: what all stations know of it.
struct Attempt: Sendable {
    let run: RequestRun
    /// Counted from 1, and 0 before the first attempt. An attempt that fails before it is sent is counted too.
    var number = 0
    /// The credential for a 401 of its origin.
    var credential: OriginCredential?
    /// Whether the request has an expired credential, and so must not be sent: a stored response is to answer it.
    var isStoredOnly = false
    /// Ends the attempt without ending the request; `nil` if whatever ends the attempt ends the request.
    var task: AttemptTask?
    /// The request of the running hop, without cookies and credentials; `nil` before the first hop.
    var hopRequest: TransportRequest?
    /// Whether a redirect has led to the running hop.
    var isRedirected = false
}

/// A credential, and the only origin that it is sent to. An object, as each suspended station has an ``Attempt`` with
/// it.
final class OriginCredential: Sendable {
    let credential: PasswordCredential
    let origin: String

    init(credential: PasswordCredential, origin: String) { (self.credential, self.origin) = (credential, origin) }
}

/// Ends the request when its deadline is over.
struct Deadline<Rest: Station>: Station {
    private let rest: Rest

    init(_ rest: Rest) { self.rest = rest }

    func response(to request: TransportRequest, in attempt: Attempt) async throws -> Response {
        guard let timer = start(attempt.run) else { return try await rest.response(to: request, in: attempt) }
        defer { attempt.run.environment.timers.cancel(timer) }
        return try await rest.response(to: request, in: attempt)
    }

    private func start(_ run: RequestRun) -> TimerQueue.Timer? {
        guard let deadline = run.policies.deadline, let end = run.policies.end else { return nil }
        return run.environment.timers.schedule(at: end) {
            run.fail(
                AsyncNetError(.deadlineExceeded, "The request did not end within its deadline of \(deadline)"))
            return nil
        }
    }
}
