/// One step in the life of a request. More cases may come.
public enum RequestEvent: Sendable {
    case resumed
    case suspended
    /// An attempt begins; they are numbered from 1.
    case attempt(Int, HTTPRequestHead)
    /// The transport sends the attempt's request again, since a kept connection ended before any byte of a response.
    case repeated
    /// A 1xx response came.
    case informational(HTTPResponseHead)
    /// The request is sent to another URL.
    case redirected(HTTPResponseHead, to: HTTPRequestHead)
    /// The final response's head came.
    case response(HTTPResponseHead)
    /// The transfer is over; the error tells how, if it went wrong.
    case finished(AsyncNetError?)
}

extension RequestEvent: CustomStringConvertible {
    public var description: String {
        switch self {
        case .resumed: "resumed"
        case .suspended: "suspended"
        case .attempt(let number, let head): "attempt \(number): \(head)"
        case .repeated: "repeated on another connection"
        case .informational(let head): "informational \(head.statusCode)"
        case .redirected(let head, let next): "redirected by \(head.statusCode) to \(next)"
        case .response(let head): "response \(head.statusCode)"
        case .finished(let error): error.map { "finished: \($0)" } ?? "finished"
        }
    }
}
