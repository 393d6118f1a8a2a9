import Foundation

/// A step on the way of a request: returns a response of its own or the response of the next station.
///
/// While a request waits for its response, the frames of all stations are in memory. Code that is not needed then is in
/// functions of its own, marked `@inline(never)` where the optimizer would put their variables into the frame.
/// `Scripts/syscalls --memory` limits the memory of a waiting request.
protocol Station: Sendable {
    func response(to request: TransportRequest, in attempt: Attempt) async throws -> Response
}

/// A response on its way back through the stations. An object, which keeps the frames of the stations small.
final class Response: Sendable {
    /// Head and body. The body is read when the response has come back to the attempt.
    let message: TransportResponse
    /// The request of the response's hop, without the cookies and credentials that stations have added.
    let request: TransportRequest
    /// Whether the response was stored; the server may have confirmed it with a 304.
    let isStored: Bool

    init(_ message: TransportResponse, to request: TransportRequest, isStored: Bool = false) {
        self.message = message
        self.request = request
        self.isStored = isStored
    }

    var head: HTTPResponseHead { message.head }
    /// The body, if it is in memory.
    var data: Data? { message.body.data }

    /// The response with a body that is decoded as it is read.
    var decoded: Response {
        message.isContentDecoded || message.head.value(for: "Content-Encoding") == nil ? self : with(message.decoded)
    }

    func with(_ message: TransportResponse) -> Response { Response(message, to: request, isStored: isStored) }

    /// The response with its body in memory.
    func with(_ data: Data) -> Response {
        self.data == nil ? with(TransportResponse(head: head, body: TransportBody(data))) : self
    }
}

/// One attempt of a run: what all stations know of it.
struct Attempt: Sendable {
    let run: RequestRun
    /// Counted from 1, and 0 before the first attempt. An attempt that fails before it is sent is counted too.
    var number = 0
    /// The credential for a 401 from the credential's origin.
    var credential: OriginCredential?
    /// Whether the request has an expired credential: only a stored response may be used, and nothing sent.
    var isStoredOnly = false
    /// Ends the attempt without ending the request; `nil` if the end of the attempt always ends the request.
    var task: AttemptTask?
    /// The request of the running hop, without what stations have added to it; `nil` before the first hop.
    var hopRequest: TransportRequest?
    /// Whether a redirect has led to the running hop.
    var isRedirected = false
}

/// A credential, and the only origin that it is sent to. An object, which keeps ``Attempt`` small.
final class OriginCredential: Sendable {
    let credential: PasswordCredential
    let origin: String

    init(credential: PasswordCredential, origin: String) { (self.credential, self.origin) = (credential, origin) }
}

/// Thrown if the credential was replaced while the request waited for its permit, or has expired and no stored response
/// can be used: the request is adapted again.
struct ReplacedCredential: Error {}
