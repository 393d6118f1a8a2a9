/// An event in the life of a request. More cases may be added.
public enum RequestEvent: Sendable {
    /// The request started, or was resumed.
    case resumed
    /// The request was suspended.
    case suspended
    /// An attempt started; attempts are numbered from 1.
    case attempt(Int, HTTPRequestHead)
    /// A request's head was sent, in these words; once for each hop. Not every transport reports this.
    case sent(SentHead)
    /// The transport sends the request again, since a reused connection ended before any byte of a response.
    case repeated
    /// An interim (1xx) response was received.
    case informational(HTTPResponseHead)
    /// A challenge was received, and the request is sent again with credentials.
    case challenged(HTTPResponseHead)
    /// A redirect was received, and its target will be requested.
    case redirected(HTTPResponseHead, to: HTTPRequestHead)
    /// The final response's head was received.
    case response(HTTPResponseHead)
    /// The transfer ended, with an error if it failed.
    case finished(AsyncNetError?)
}

extension RequestEvent: CustomStringConvertible {
    public var description: String {
        switch self {
        case .resumed: "resumed"
        case .suspended: "suspended"
        case .attempt(let number, let head): "attempt \(number): \(head)"
        case .sent(let head): "sent \(head.description.prefix { $0 != "\n" })"
        case .challenged(let head): "challenged by \(head.statusCode)"
        case .repeated: "repeated on another connection"
        case .informational(let head): "informational \(head.statusCode)"
        case .redirected(let head, let next): "redirected by \(head.statusCode) to \(next)"
        case .response(let head): "response \(head.statusCode)"
        case .finished(let error): error.map { "finished: \($0)" } ?? "finished"
        }
    }
}
