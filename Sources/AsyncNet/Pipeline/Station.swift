import Foundation

/// A step on the way of a request: makes the response itself, or returns that of the next station.
protocol Station: Sendable {
    func response(to request: TransportRequest, in attempt: Attempt) async throws -> Response
}

/// A response on its way back through the stations. An object, as the frame of each station has room for one.
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

/// A credential, and the only origin that it is sent to. An object, as each suspended station has an ``Attempt``.
final class OriginCredential: Sendable {
    let credential: PasswordCredential
    let origin: String

    init(credential: PasswordCredential, origin: String) { (self.credential, self.origin) = (credential, origin) }
}

/// The credential was replaced while the request waited for its permit, or has expired and no stored response answers
/// the request.
struct ReplacedCredential: Error {}
