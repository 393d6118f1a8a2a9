/// How a request uses bodies.
public enum RequestKind: Hashable, Sendable {
    /// The response's body is kept in memory.
    case data
    /// The request has a given body; the response's body is kept in memory.
    case upload
    /// The response's body goes to a file.
    case download
    /// The response's body is read as it arrives.
    case stream
}
