extension AsyncNetError {
    /// Whether the request, or the task that awaited it, was cancelled.
    public var isCancelled: Bool { code == .cancelled }

    /// Whether the request took too long: the server was silent, an attempt took too long (`.timedOut`), the next event
    /// of a stream did not arrive (`.eventTimedOut`), or the deadline passed (`.deadlineExceeded`). After
    /// `.refreshFailed`, whether the refresh took too long.
    public var isTimeout: Bool { Code.timeouts.contains(decisiveCode) }

    /// The code of a refresh's own error if the refresh of a credential failed.
    private var decisiveCode: Code {
        guard code == .refreshFailed, let cause = underlyingError as? AsyncNetError else { return code }
        return cause.code
    }

    /// Whether a proxy refused the request for a tunnel with a status from 400 to 499, such as 407, or a SOCKS proxy
    /// refused its password: the proxy would refuse the same request again. After a status of 500 and more, or without
    /// a status, the same request may succeed.
    var isRefusedByProxy: Bool {
        code == .proxyFailed && (isLasting || statusCode.map { 400..<500 ~= $0 } == true)
    }

    /// Whether no connection to the server was made, or the connection broke: the same request may succeed over a
    /// better network. After `.refreshFailed`, whether that is so of the refresh.
    public var isConnectivity: Bool { Code.connectivity.contains(decisiveCode) }
}

extension AsyncNetError.Code {
    fileprivate static let timeouts: Set<Self> = [.timedOut, .eventTimedOut, .deadlineExceeded]
    fileprivate static let connectivity: Set<Self> = [
        .hostNotFound, .cannotConnect, .emptyReply, .connectionLost, .bodyEndedEarly, .proxyNotFound,
    ]
}

/// Matches an error by its code: `catch .timedOut` where the error's type is ``AsyncNetError``.
public func ~= (code: AsyncNetError.Code, error: AsyncNetError) -> Bool { error.code == code }

/// Matches an ``AsyncNetError`` by its code where the error's type is not known: `catch AsyncNetError.Code.timedOut`.
public func ~= (code: AsyncNetError.Code, error: any Error) -> Bool { (error as? AsyncNetError)?.code == code }
