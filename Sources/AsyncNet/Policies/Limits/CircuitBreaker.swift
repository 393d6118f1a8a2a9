/// When a host that fails is left alone for a while, so that neither side wastes its time.
///
/// Too many failures open the circuit: requests to that host fail at once with ``AsyncNetError/Code/circuitOpen``.
/// After ``openDuration`` a few requests are let through as probes. If they succeed, the circuit is closed and
/// everything goes as before; if one fails, it is open again.
///
/// Failures are what the network or the server could not do: hosts that are not found or not reached, broken
/// connections, timeouts, bad TLS or HTTP, and responses with status 500 and above. Cancelled requests, 429, and errors
/// of this side say nothing about the host.
public struct CircuitBreaker: Hashable, Sendable {
    /// So many failures in a row open the circuit, however far apart; `nil` to look at the rate only. Below 1 counts as
    /// 1.
    public var consecutiveFailures: Int?

    /// This part of failures among the requests of the latest ``window`` opens the circuit, from 0 to 1; `nil` to look
    /// at those in a row only. Not a number counts as 1.
    public var failureRate: Double?

    /// With fewer requests in the window, there is no rate.
    public var minimumRequests: Int

    /// The time over which the rate is taken.
    public var window: Duration

    /// How long a circuit stays open before probes are let through.
    public var openDuration: Duration

    /// How many probes are under way at once, and have to succeed. Below 1 counts as 1.
    public var probes: Int

    public init(
        consecutiveFailures: Int? = 5, failureRate: Double? = nil, minimumRequests: Int = 20,
        window: Duration = .seconds(30),
        openDuration: Duration = .seconds(30), probes: Int = 1
    ) {
        self.consecutiveFailures = consecutiveFailures
        self.failureRate = failureRate
        self.minimumRequests = minimumRequests
        self.window = window
        self.openDuration = openDuration
        self.probes = probes
    }
}

/// What the end of a request says about its host.
package enum HostVerdict: Hashable, Sendable {
    case success
    case failure
    /// Nothing: it was cancelled, or went wrong on this side.
    case ignored

    package init(statusCode: Int) {
        self = statusCode == 429 ? .ignored : statusCode >= 500 ? .failure : .success
    }

    package init(_ code: AsyncNetError.Code) {
        self = Self.hostFailures.contains(code) ? .failure : .ignored
    }

    /// A deadline that passes while a request is under way is a failure too: else a host that hangs would never be left
    /// alone by programs whose deadlines are shorter than their timeouts.
    private static let hostFailures: Set<AsyncNetError.Code> = [
        .hostNotFound, .cannotConnect, .emptyReply, .connectionLost, .bodyEndedEarly, .timedOut, .deadlineExceeded,
        .badServerResponse,
        .badContentEncoding, .tlsHandshakeFailed, .certificateNotTrusted, .certificateExpired, .certificateHostMismatch,
        .certificatePinMismatch, .proxyNotFound, .proxyFailed, .transportFailed,
    ]
}
